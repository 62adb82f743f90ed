// What can be uploaded, and how its bytes are sent.
import { MessagingError } from "./errors.ts";
import type { AcceptedType } from "./generated/types.ts";
import { type Fetch, runtime } from "./options.ts";

/** A file: its bytes, a Blob or File, its path (Node.js), or a stream. */
export type UploadSource =
  | Uint8Array | ArrayBuffer | Blob | string | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** How far an upload is, in bytes. A retry begins anew. */
export type Progress = { loaded: number; total: number };
export type Report = ((progress: Progress) => void) | undefined;
/** The content of a file: a Blob, which can be read again, or a stream that cannot. */
export type Content = { bytes: Blob | AsyncIterable<Uint8Array>; size: number; name?: string | undefined };

const ENDINGS: Record<string, AcceptedType> = {
  jpg: "image/jpeg", jpeg: "image/jpeg", png: "image/png", webp: "image/webp", mp4: "video/mp4", "3gp": "video/3gpp",
  aac: "audio/aac", amr: "audio/amr", mp3: "audio/mpeg", m4a: "audio/mp4", ogg: "audio/ogg", pdf: "application/pdf",
  txt: "text/plain", doc: "application/msword", xls: "application/vnd.ms-excel", ppt: "application/vnd.ms-powerpoint",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
};

/** Returns the type of a file: what its Blob or its name's ending says. */
export function typeOf({ bytes }: Content, name: string): AcceptedType {
  const type = (bytes instanceof Blob && bytes.type) || ENDINGS[name.split(".").pop()?.toLowerCase() ?? ""];
  if (type) return type as AcceptedType;
  throw new MessagingError(`The type of ${name} is not known. Set mimeType.`);
}

/** Returns the content of a source. A stream of up to `small` bytes is read, so that it can be sent again. */
export async function contentOf(source: UploadSource, size: number | undefined, small: number): Promise<Content> {
  if (typeof source === "string") {
    // An import of the module would keep bundlers from building for browsers.
    const files = runtime.getBuiltinModule?.("node:fs") as { openAsBlob?(path: string): Promise<Blob> } | undefined;
    if (!files?.openAsBlob) throw new MessagingError("Only Node.js 22.3 and later open paths. Pass a Blob.");
    const file = await files.openAsBlob(source);
    return { bytes: file, size: file.size, name: source.split(/[\\/]/).pop() };
  }
  if (source instanceof Blob) return { bytes: source, size: source.size, name: (source as { name?: string }).name };
  if (source instanceof Uint8Array || source instanceof ArrayBuffer)
    return { bytes: new Blob([source as BlobPart]), size: source.byteLength };
  if (size === undefined) throw new MessagingError("A stream needs its size in bytes: set size.");
  if (size > small && runtime.versions?.node) return { bytes: source as AsyncIterable<Uint8Array>, size };
  const bytes = await new Response(source as BodyInit).blob();
  if (bytes.size === size) return { bytes, size };
  throw new MessagingError(`The stream has ${bytes.size} bytes, not ${size}. Set the exact size.`);
}

/** Returns bytes as a stream that reports what was taken from it. Only Node.js takes it for a body. */
export async function* counted({ bytes, size }: Content, report?: Report): AsyncGenerator<Uint8Array> {
  let loaded = 0;
  for await (const chunk of (bytes instanceof Blob ? bytes.stream() : bytes) as AsyncIterable<Uint8Array>) {
    yield chunk;
    report?.({ loaded: (loaded += chunk.byteLength), total: size });
  }
}

/** Returns a function like `fetch` that reports progress in browsers. */
export function xhr(total: number, report: NonNullable<Report>): Fetch {
  return (url, { method = "GET", headers = {}, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, url);
      Object.entries(headers).forEach(([name, value]) => request.setRequestHeader(name, value));
      request.upload.onprogress = ({ loaded }) => report({ loaded: Math.min(loaded, total), total });
      request.onerror = request.onabort = () => reject(signal?.reason ?? new TypeError("the connection failed"));
      request.onload = () => {
        const lines = request.getAllResponseHeaders().trim().split("\r\n").filter(Boolean);
        const pairs = lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]);
        resolve(new Response(request.responseText || null, { status: request.status, headers: pairs }));
      };
      signal?.addEventListener("abort", () => request.abort(), { once: true });
      request.send(body as XMLHttpRequestBodyInit | null);
    });
}
