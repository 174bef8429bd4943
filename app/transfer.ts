/** How long a request may move no byte: a browser does not notice that a cable was pulled. */
const SILENT_MS = 60_000;
/** How long the server may take to check and store what has arrived before it responds. */
const RESPONSE_MS = 300_000;

export interface TransferRequest {
  method: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: Blob | string | undefined;
  /** Called with how many bytes have been sent. */
  onBytes?: ((sent: number) => void) | undefined;
  signal: AbortSignal;
}

export interface TransferResponse {
  status: number;
  text: string;
  /** With its quotes; empty when there is none, or another origin does not expose it. */
  etag: string;
}

/**
 * Sends a request and returns the response, whatever its status. Uses XMLHttpRequest, because fetch does not report upload progress.
 * @throws the signal's reason when aborted; TypeError when the network failed, moved no byte for a minute, or brought no response
 * within five minutes
 */
export function transfer(options: TransferRequest): Promise<TransferResponse> {
  const { method, url, headers = {}, body, onBytes, signal } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    let silence: ReturnType<typeof setTimeout> | undefined;
    const allow = (ms: number) => {
      clearTimeout(silence);
      silence = setTimeout(() => request.abort(), ms);
    };
    const onAbort = () => request.abort();
    signal.addEventListener('abort', onAbort);
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    // Whoever listens to an upload to another origin has it asked beforehand, so only those do that show it.
    if (onBytes) {
      request.upload.onprogress = (event) => {
        allow(SILENT_MS);
        onBytes(event.loaded);
      };
      request.upload.onload = () => allow(RESPONSE_MS);
    }
    request.onprogress = () => allow(SILENT_MS);
    request.onload = () => {
      const { status, responseText: text } = request;
      resolve({ status, text, etag: request.getResponseHeader('etag') ?? '' });
    };
    request.onerror = () => reject(new TypeError('the network failed'));
    request.onabort = () => reject(signal.aborted ? signal.reason : new TypeError('the network fell silent'));
    request.onloadend = () => {
      clearTimeout(silence);
      signal.removeEventListener('abort', onAbort);
    };
    allow(body === undefined || onBytes ? SILENT_MS : RESPONSE_MS);
    request.send(body);
  });
}
