import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { RestResponse } from './rest-client.ts';

/** A request whose body is sent piece by piece, and that can be interrupted at any point. */
export interface RawUpload {
  /** Hands a piece to the operating system. */
  send(piece: Buffer): Promise<void>;
  /** Sends the end of the body and returns the response. */
  finish(): Promise<RestResponse>;
  /** Breaks the connection, like a killed client, and returns when it is closed. */
  cut(): Promise<void>;
}

/** Starts a request to a running server. With a `content-length` header it is not chunked. */
export function startUpload(
  method: string,
  address: URL,
  headers: Record<string, string | number>,
): RawUpload {
  const upload: ClientRequest = request(address, { method, headers, agent: false });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    upload.once('response', resolve);
    upload.once('error', reject);
  });
  const closed = new Promise<void>((resolve) => upload.once('close', resolve));
  // A broken connection is also reported here; the caller waiting for the response gets it.
  answered.catch(() => undefined);
  return {
    send: (piece) =>
      new Promise((resolve, reject) => {
        upload.write(piece, (error) => (error ? reject(error) : resolve()));
      }),
    async finish() {
      upload.end();
      const response = await answered;
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      const headersOf = new Headers();
      for (const [name, value] of Object.entries(response.headers)) {
        if (value !== undefined) headersOf.set(name, String(value));
      }
      return {
        status: response.statusCode ?? 0,
        headers: headersOf,
        text: bytes.toString('utf8'),
        bytes,
      };
    },
    async cut() {
      upload.destroy();
      await closed;
    },
  };
}
