"""Writes the bill of materials of a release in the format of CycloneDX.

Runs in the virtual environment of the release tools: python -m tools.release.sbom FILE
"""

import sys
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from tools.release import contents
from tools.release.bundle import version


def bill() -> Bom:
    licences, bom = LicenseFactory(), Bom()
    whole = Component(name="messaging-api", version=version(), type=ComponentType.APPLICATION, bom_ref="messaging-api")
    bom.metadata.component = whole
    for kind, parts in (("cargo", contents.crates()), ("npm", contents.packages())):
        for name, number, licence in parts:
            namespace, _, own = name.rpartition("/")
            url = PackageURL(kind, namespace=namespace or None, name=own, version=number)
            terms = [licences.make_from_string(licence)] if licence else []
            bom.components.add(Component(name=name, version=number, purl=url, bom_ref=url.to_string(), licenses=terms))
    bom.register_dependency(whole, bom.components)
    return bom


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(JsonV1Dot6(bill()).output_as_string(indent=2))
