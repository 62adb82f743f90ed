"""Media: through the API, and directly to the bucket by presigned address."""

import re

from tools.verify.client import Reply, request
from tools.verify.organization import Organization
from tools.verify.report import Expected, Subject, expect
from tools.verify.target import Target

SUBJECT = Subject("Uploads")
PDF = b"%PDF-1.4\n%%EOF\n"
MIB = 1 << 20
PRESIGNED = "Compare the signed headers (shared/aws) with the bucket's error response: S3 checks what the emulator may not."


def upload(organization: Organization, content: bytes, name: str = "note.pdf", declared: str = "application/pdf") -> Reply:
    head = f'--edge\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: {declared}\r\n\r\n'
    body = head.encode() + content + b"\r\n--edge--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=edge"}
    return organization.send("POST", "/v1/media", organization["APP_KEY"], body, headers=headers)


def announce(organization: Organization, content: bytes) -> dict:
    announced = {"fileName": "note.pdf", "mimeType": "application/pdf", "fileSize": len(content)}
    return organization.call("POST", "/v1/media/uploads", organization["APP_KEY"], announced)


def put(announced: dict, content: bytes, without: str = "", **changed: str) -> Reply:
    named = {name.lower(): value for name, value in announced["headers"].items()}
    headers = {**named, **{name.replace("_", "-"): value for name, value in changed.items()}}
    sent = {name: value for name, value in headers.items() if name not in ("content-length", without)}
    return request("PUT", announced["uploadUrl"], sent, content)


def complete(organization: Organization, announced: dict) -> Reply:
    return organization.send("POST", f"/v1/media/{announced['id']}/complete", organization["APP_KEY"])


@SUBJECT("A file uploaded through the API is downloaded as it was, and gone when it is deleted", PRESIGNED)
def small(target: Target) -> str:
    first = target.first
    made = upload(first, PDF).json
    expect(isinstance(made, dict) and "url" in made, f"the upload was answered with {made}")
    got = request("GET", made["url"], {})
    expect((got.status, got.body) == (200, PDF), f"the download: {got}")
    kind, shown = got.headers.get("content-type"), got.headers.get("content-disposition", "")
    expect(kind == "application/pdf" and "note.pdf" in shown, f"Content-Type {kind}, Content-Disposition {shown}")
    again = request("GET", made["url"].replace("X-Amz-Signature=", "X-Amz-Signature=0"), {})
    expect(again.status == 403, f"a forged download address: {again}")
    first.call("DELETE", f"/v1/media/{made['id']}", first["APP_KEY"])
    gone = first.send("GET", f"/v1/media/{made['id']}", first["APP_KEY"])
    expect(gone.status == 404, f"the deleted media: {gone}")
    bytes_gone = request("GET", made["url"], {})
    expect(bytes_gone.status in (403, 404), f"the deleted media's bytes: {bytes_gone.status}")
    return ""


@SUBJECT("A file of 4 MiB passes the gateway", "Lower the limit of POST /v1/media (shared/domain/src/media) to what passes.")
def four_mebibytes(target: Target) -> str:
    reply = upload(target.first, PDF + b" " * (4 * MIB - len(PDF)))
    expect(reply.status == 201, reply)
    return f"{reply.seconds:.1f} s"


@SUBJECT("A declared type that contradicts the content is rejected")
def contradicted(target: Target) -> str:
    reply = upload(target.first, PDF, declared="image/png")
    expect(reply.status == 415 and reply.error.get("param") == "file", reply)
    return ""


@SUBJECT("A direct upload is stored, completed, repeated, and downloaded", PRESIGNED)
def direct(target: Target) -> str:
    first = target.first
    content = PDF + b" " * (6 * MIB)
    announced = announce(first, content)
    stored = put(announced, content)
    expect(stored.status == 200, f"PUT of 6 MiB: {stored}")
    once, twice = complete(first, announced), complete(first, announced)
    expect((once.status, twice.status) == (200, 200), f"complete: {once}; again: {twice}")
    expect(once.json["id"] == twice.json["id"] == announced["id"], "completing twice gave two media")
    got = request("GET", once.json["url"], {})
    expect(got.body == content, f"the download has {len(got.body)} bytes, {got.status}")
    return f"6 MiB in {stored.seconds:.1f} s"


@SUBJECT("An upload address takes one upload only", "The condition If-None-Match must be among the signed headers and S3 must honour it.")
def once(target: Target) -> str:
    announced = announce(target.first, PDF)
    put(announced, PDF)
    again = put(announced, PDF)
    expect(again.status == 412, f"expected 412, got {again}")
    return "412"


@SUBJECT("An upload with another type, length or without a signed header is refused by the bucket", PRESIGNED)
def signed(target: Target) -> str:
    announced = announce(target.first, PDF)
    tried = {
        "another Content-Type": put(announced, PDF, content_type="text/html"),
        "another length": put(announced, PDF + b"more"),
        **{f"no {name}": put(announced, PDF, without=name.lower()) for name in announced["headers"] if name.lower() != "content-length"},
        "another signature": request(
            "PUT", announced["uploadUrl"].replace("X-Amz-Signature=", "X-Amz-Signature=0"), dict(announced["headers"]), PDF
        ),
    }
    wrong = {what: str(reply) for what, reply in tried.items() if reply.status not in (400, 403)}
    expect(not wrong, f"stored: {wrong}")
    return ", ".join(f"{what} {reply.status}" for what, reply in tried.items())


@SUBJECT("From a browser, only the installation's own pages may upload", "CorsConfiguration of the bucket (infra/template.yaml) names the API's addresses and the origin of DocsUrl.")
def origins(target: Target) -> str:
    announced = announce(target.first, PDF)
    own = re.match(r"https?://[^/]+", target.client.base_url)[0]
    asked = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "content-type,if-none-match"}

    def allowed(origin: str) -> str | None:
        return request("OPTIONS", announced["uploadUrl"], {"Origin": origin, **asked}).headers.get("access-control-allow-origin")

    stranger = allowed("https://elsewhere.example")
    if target.is_emulator and stranger == "*":
        raise Expected("The emulator lets every origin upload.")
    expect(stranger is None, f"Access-Control-Allow-Origin for https://elsewhere.example: {stranger}")
    expect(allowed(own) == own, f"Access-Control-Allow-Origin for {own}: {allowed(own)}")
    return own


@SUBJECT("Nothing is completed that was not uploaded, or is not what was announced")
def incomplete(target: Target) -> str:
    first = target.first
    nothing = complete(first, announce(first, PDF))
    expect(400 <= nothing.status < 500, f"without an upload: {nothing}")
    other = b"\x89PNG\r\n\x1a\n....."
    announced = announce(first, other)
    put(announced, other)
    reply = complete(first, announced)
    expect(reply.status == 415, f"a picture announced as a document: {reply}")
    return f"{nothing.status}, {reply.status}"
