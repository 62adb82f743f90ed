"""Limits of S3."""

from xml.etree import ElementTree

from ..request import Request
from ..rule import DOCS, Refusal, Rule

KIB = 1024
OBJECT_SIZE = 5 * KIB**3
OBJECT_KEY = 1024
METADATA_SIZE = 2 * KIB
HEADER_SIZE = 8 * KIB
PRESIGNED = 604_800
DELETE_KEYS = 1000
UPLOADS = ("PutObject", "UploadPart")
WITH_METADATA = ("PutObject", "CopyObject", "CreateMultipartUpload")
PUTS = ("PutObject", "UploadPart", "CopyObject", "UploadPartCopy")
SUBRESOURCES = {"acl", "tagging", "retention", "legal-hold", "annotation", "encryption"}
S3 = f"{DOCS}/AmazonS3/latest/userguide"
S3_API = f"{DOCS}/AmazonS3/latest/API"


def s3_operation(method: str, target: str, headers: dict[str, str]) -> str:
    """Returns the operation's name in the S3 API, as far as the rules distinguish operations."""
    path, _, query = target.partition("?")
    parameters = {part.partition("=")[0] for part in query.split("&")}
    if not path.lstrip("/").partition("/")[2]:
        return "DeleteObjects" if method == "POST" and "delete" in parameters else "Bucket"
    if method == "PUT" and not parameters & SUBRESOURCES:
        is_copy = "x-amz-copy-source" in headers
        if "partNumber" in parameters:
            return "UploadPartCopy" if is_copy else "UploadPart"
        return "CopyObject" if is_copy else "PutObject"
    if method == "POST" and "uploads" in parameters:
        return "CreateMultipartUpload"
    return f"Object {method}"


def metadata(request: Request) -> list[tuple[str, str]]:
    prefix = "x-amz-meta-"
    return [(name.removeprefix(prefix), value) for name, value in request.headers if name.startswith(prefix)]


def metadata_size(request: Request) -> Refusal | None:
    size = sum(len(name.encode("latin-1")) + len(value.encode("latin-1")) for name, value in metadata(request))
    if size <= METADATA_SIZE:
        return None
    return Refusal(
        "MetadataTooLarge",
        "Your metadata headers exceed the maximum allowed metadata size",
        more={"Size": size, "MaxSizeAllowed": METADATA_SIZE},
    )


def metadata_ascii(request: Request) -> Refusal | None:
    for name, value in metadata(request):
        if not value.isascii():
            return Refusal("InvalidArgument", f"x-amz-meta-{name} is not ASCII: it comes back encoded after RFC 2047")
    return None


def header_size(request: Request) -> Refusal | None:
    if request.header_size <= HEADER_SIZE:
        return None
    return Refusal(
        "RequestHeaderSectionTooLarge",
        "Your request header and query parameters used to make the request exceed the maximum allowed size.",
        more={"MaxSizeAllowed": HEADER_SIZE},
    )


def object_size(request: Request) -> Refusal | None:
    length = request.header("x-amz-decoded-content-length") or request.header("content-length") or "0"
    if not length.isdigit() or int(length) <= OBJECT_SIZE:
        return None
    return Refusal(
        "EntityTooLarge",
        "Your proposed upload exceeds the maximum allowed size",
        more={"ProposedSize": length, "MaxSizeAllowed": OBJECT_SIZE},
    )


def content_length(request: Request) -> Refusal | None:
    if request.header("content-length") is not None or request.header("x-amz-decoded-content-length") is not None:
        return None
    return Refusal("MissingContentLength", "You must provide the Content-Length HTTP header.", status=411)


def object_key(request: Request) -> Refusal | None:
    if len(request.object_key) <= OBJECT_KEY:
        return None
    sizes = {"Size": len(request.object_key), "MaxSizeAllowed": OBJECT_KEY}
    return Refusal("KeyTooLongError", "Your key is too long", more=sizes)


def presigned_expiry(request: Request) -> Refusal | None:
    given = request.query.get("X-Amz-Expires", "0")
    if not given.isdigit() or int(given) <= PRESIGNED:
        return None
    return Refusal(
        "AuthorizationQueryParametersError",
        "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than "
        f"{PRESIGNED} seconds",
    )


def delete_keys(request: Request) -> Refusal | None:
    try:
        document = ElementTree.fromstring(request.body)
    except ElementTree.ParseError:
        return None
    if sum(element.tag.rpartition("}")[2] == "Object" for element in document) <= DELETE_KEYS:
        return None
    return Refusal(
        "MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema"
    )


RULES = [
    Rule(
        "s3-key-length", "s3", (), object_key,
        what="Key of an object, in UTF-8",
        limit="1024 bytes",
        url=f"{S3}/object-keys.html",
    ),
    Rule(
        "s3-header-size", "s3", PUTS, header_size,
        what="Header section of a `PUT`",
        limit="8 KB",
        url=f"{S3}/UsingMetadata.html",
    ),
    Rule(
        "s3-metadata-size", "s3", WITH_METADATA, metadata_size,
        what="User metadata, keys and values",
        limit="2 KB",
        url=f"{S3}/UsingMetadata.html",
    ),
    Rule(
        "s3-content-length", "s3", UPLOADS, content_length,
        what="Upload without `Content-Length`",
        limit="required",
        url=f"{S3_API}/ErrorResponses.html#ErrorCodeList",
    ),
    Rule(
        "s3-object-size", "s3", UPLOADS, object_size,
        what="Size of one upload",
        limit="5 GB",
        url=f"{S3}/upload-objects.html",
    ),
    Rule(
        "s3-presigned-expiry", "s3", (), presigned_expiry,
        what="Expiry of a presigned URL",
        limit="604,800 s",
        url=f"{S3_API}/sigv4-query-string-auth.html",
    ),
    Rule(
        "s3-delete-keys", "s3", ("DeleteObjects",), delete_keys,
        what="Keys in one `DeleteObjects`",
        limit="1000",
        url=f"{S3_API}/API_DeleteObjects.html",
    ),
    Rule(
        "s3-metadata-ascii", "s3", WITH_METADATA, metadata_ascii, refused=False,
        what="User metadata that is not ASCII: it comes back encoded after RFC 2047",
        limit="US-ASCII",
        url=f"{S3}/UsingMetadata.html",
    ),
]
