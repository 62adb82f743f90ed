// Uploading files: small ones through the API, larger ones directly to storage.
import { isThisMachine } from "./address.ts";
import { Call, type Result } from "./call.ts";
import type { Content, Progress, Report, UploadSource } from "./content.ts";
import { contentOf, counted, typeOf, xhr } from "./content.ts";
import type { Plan } from "./core.ts";
import type { MessagingError } from "./errors.ts";
import { InternalError } from "./generated/errors.ts";
import type { AcceptedType, CreateMediaUpload, Media, MediaUpload } from "./generated/types.ts";
import { Namespace } from "./namespace.ts";
import { type PostOptions, runtime } from "./options.ts";

/** The largest file that the API takes in one request, in bytes; larger ones go to storage. */
const SMALL = 4 * 1024 * 1024;
/** The time limit of an upload to storage, in milliseconds. */
const TIMEOUT = 30 * 60_000;

/** The options of an upload. */
export interface UploadOptions extends PostOptions {
  /** By default, the name of the file. */ fileName?: string;
  /** By default, the type of the Blob, or what the name's ending says. */ mimeType?: AcceptedType;
  /** The exact size in bytes, which only streams need. */ size?: number;
  /** Called as bytes are sent. */ onProgress?: (progress: Progress) => void;
}

/** The methods of `media` with several requests. */
export abstract class Uploads extends Namespace {
  abstract readonly uploads: { create(body: CreateMediaUpload, options?: PostOptions): Call<MediaUpload> };
  abstract complete(mediaId: string, options?: PostOptions): Call<Media>;

  /** Upload a file: bytes, a Blob or File, a path (Node.js), or a stream with its `size`. Up to 4 MiB are one request;
   * more goes to storage directly, without being held in memory.
   * @throws {InvalidRequestError} 413, 415: The file is too large for its kind, or not of an accepted type. */
  upload(source: UploadSource, options: UploadOptions = {}): Call<Media> {
    return new Call(this.#upload(source, options));
  }

  async #upload(source: UploadSource, options: UploadOptions): Promise<Result<Media>> {
    const { fileName, mimeType, size, onProgress, ...keyed } = options;
    const content = await contentOf(source, size, SMALL);
    const name = fileName ?? content.name ?? "file";
    const type = mimeType ?? typeOf(content, name);
    if (content.size <= SMALL) return this.#post(content, name, type, keyed, onProgress);
    const upload = await this.uploads.create({ fileName: name, mimeType: type, fileSize: content.size }, keyed);
    const { idempotencyKey: _, ...each } = keyed;
    await this.#put(upload, content, each, onProgress);
    return this.complete(upload.id, each).withResponse();
  }

  /** Sends a file as the part of a form. The bytes are the same in each attempt, which the key requires. */
  #post({ bytes, size }: Content, name: string, type: string, options: PostOptions, report: Report) {
    const boundary = crypto.randomUUID();
    const quoted = name.replace(/["\r\n]/g, encodeURIComponent);
    const disposition = `content-disposition: form-data; name="file"; filename="${quoted}"`;
    const head = `--${boundary}\r\n${disposition}\r\ncontent-type: ${type}\r\n\r\n`;
    const form = new Blob([head, bytes as Blob, `\r\n--${boundary}--\r\n`]);
    const headers = {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "idempotency-key": options.idempotencyKey ?? crypto.randomUUID(),
    };
    const url = `${this.core.baseUrl}/v1/media`;
    // Counts the bytes of the file, not those of the form.
    const clamped: Report = report && (({ loaded }) => report({ loaded: Math.min(loaded, size), total: size }));
    const plan: Plan = { method: "POST", url, headers, isSafe: true, options };
    return this.core.execute<Media>(this.#withBody(plan, { bytes: form, size: form.size }, clamped));
  }

  /** Sends a file to the presigned address, which needs no credential. */
  async #put(upload: MediaUpload, content: Content, options: PostOptions, report: Report) {
    const url = new URL(upload.uploadUrl);
    if (url.protocol !== "https:" && !isThisMachine(url)) throw new InternalError("uploadUrl is not https.");
    const { "content-length": _, ...headers } = upload.headers;
    const plan: Plan = {
      method: "PUT", url: url.href, headers, isSafe: content.bytes instanceof Blob, isForStorage: true,
      options: { timeout: TIMEOUT, ...options },
    };
    await this.core.execute(this.#withBody(plan, content, report)).catch((error: unknown) => {
      // An earlier attempt has stored the file, but its response was lost. The completion checks the size.
      if ((error as MessagingError).status !== 412) throw error;
    });
  }

  /** Adds a body, whose length is always known: storage takes no other. */
  #withBody(plan: Plan, content: Content, report: Report): Plan {
    const { bytes, size } = content;
    if (!(bytes instanceof Blob) || (report && runtime.versions?.node)) {
      const headers = { ...plan.headers, "content-length": String(size) };
      return { ...plan, headers, body: () => counted(content, report) as unknown as BodyInit };
    }
    const hasXhr = report && !this.core.injected && typeof XMLHttpRequest !== "undefined";
    return { ...plan, body: () => bytes, fetch: hasXhr ? xhr(size, report) : undefined };
  }
}
