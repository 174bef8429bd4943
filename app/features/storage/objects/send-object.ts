/** A request to the storage with a signed address. */
export interface ObjectRequest {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: Blob | string;
  /** Called with how many bytes have been sent. */
  onBytes?: (sent: number) => void;
  signal: AbortSignal;
}

export interface ObjectResponse {
  text: string;
  /** With its quotes; empty when there is none. */
  etag: string;
}

/** A refusal of the storage with S3's own code, or `network` without a response. */
export class TransferError extends Error {
  override name = 'TransferError';
  readonly code: string;
  readonly status: number;
  constructor(code: string, status: number) {
    super(`${code} (${status})`);
    this.code = code;
    this.status = status;
  }
}

/**
 * Sends a request and returns the response. Uses XMLHttpRequest, because fetch does not report upload progress.
 * @throws TransferError for a refusal or a failed network; the signal's reason when aborted
 */
export function sendObject({
  method,
  url,
  headers = {},
  body,
  onBytes,
  signal,
}: ObjectRequest): Promise<ObjectResponse> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    const onAbort = () => request.abort();
    signal.addEventListener('abort', onAbort);
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (onBytes) request.upload.onprogress = (event) => onBytes(event.loaded);
    request.onload = () => {
      const { status, responseText: text } = request;
      if (status >= 200 && status < 300) resolve({ text, etag: request.getResponseHeader('etag') ?? '' });
      else reject(new TransferError(/<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? 'unknown', status));
    };
    request.onerror = () => reject(new TransferError('network', 0));
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener('abort', onAbort);
    request.send(body);
  });
}
