import { type TransferRequest, type TransferResponse, transfer } from '../../../transfer.ts';

/** A request to the storage with a signed address. */
export interface ObjectRequest extends TransferRequest {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
}

export type ObjectResponse = Omit<TransferResponse, 'status'>;

/** A refusal with S3's own code, also of the console that signs addresses; `network` without a response, `signed_out` without a session. */
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
 * Sends a request and returns the response.
 * @throws TransferError for a refusal or a failed network; the signal's reason when aborted
 */
export async function sendObject(request: ObjectRequest): Promise<ObjectResponse> {
  const { status, text, etag } = await transfer(request).catch((error: unknown) => {
    throw error instanceof TypeError ? new TransferError('network', 0) : error;
  });
  if (status >= 200 && status < 300) return { text, etag };
  throw new TransferError(/<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? 'unknown', status);
}
