// The result of a method: a promise of the resource, with the response within reach.
/** A resource with its response. */
export interface Result<T> {
  /** The resource, with all fields that came, also those that this version of the library does not know. */ data: T;
  /** The HTTP status. */ status: number;
  /** The headers of the response. */ headers: Headers;
  /** Quote it when you report a problem. */ requestId: string | undefined;
  /** Whether this is the response to an earlier request with the same `Idempotency-Key`. */ isReplayed: boolean;
}

/** A call that has begun. `await` it for the resource. */
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = "Call";
  readonly #result: Promise<Result<T>>;

  constructor(result: Promise<Result<T>>) {
    this.#result = result;
  }

  /** Returns the resource with status, headers and request id. */
  withResponse(): Promise<Result<T>> {
    return this.#result;
  }

  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#result.then((result) => result.data).then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: any) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }
}
