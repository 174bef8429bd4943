import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { S3Error } from './s3-error.ts';
import { writeError } from './xml/write-error.ts';

/**
 * Has requests that HTTP's parser refuses answered in S3's words, where Node would send a bare status: a head that is too large or does
 * not arrive in time, and what is no HTTP.
 */
export function answerUnreadable(server: Server, newRequestId: () => string): void {
  const responses = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) =>
    responses.set(socket, response),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const begun = responses.get(socket);
    // Nothing can follow a response that is on its way.
    const isAnswering = begun?.headersSent === true && !begun.writableFinished;
    if (!socket.writable || isAnswering) socket.destroy(error);
    else socket.end(answerText(toRefusal(error.code), newRequestId()), () => socket.destroy());
  });
}

function toRefusal(code: string | undefined): S3Error {
  if (code === 'HPE_HEADER_OVERFLOW') return new S3Error('RequestHeaderSectionTooLarge');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new S3Error('RequestTimeout');
  return new S3Error('BadRequest');
}

function answerText(refusal: S3Error, id: string): string {
  const body = writeError(refusal, { id, path: null });
  const { status } = refusal;
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `x-amz-request-id: ${id}`,
    `x-amz-id-2: ${id}`,
    'content-type: application/xml',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
