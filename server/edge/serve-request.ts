import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerRequest } from './answer-request.ts';
import type { EdgeConnection } from './edge-connection.ts';
import type { EdgeParts, EdgeReply, EdgeRequest } from './edge-exchange.ts';
import { recordReply } from './record-reply.ts';
import { sendBlob } from './send-blob.ts';

/** Answers a request of node's HTTP server: whatever the fast lane does not take. */
export async function serveRequest(
  parts: EdgeParts,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  connection: EdgeConnection,
): Promise<void> {
  const { headers } = incoming;
  // A body is never wanted; closing afterwards saves reading it.
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (hasBody) outgoing.setHeader('Connection', 'close');
  try {
    const reply = await answerRequest(parts, readIncoming(incoming, connection));
    if (outgoing.destroyed) {
      reply.blob?.lease.release();
      return;
    }
    await writeReply(reply, outgoing);
  } catch (error) {
    // The head is out: only closing early tells the client that the body is not whole.
    parts.logger.error({ err: error }, 'an answer broke off');
    outgoing.destroy();
  }
}

async function writeReply(reply: EdgeReply, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(reply.status, [...reply.headers]);
  if (reply.blob === null) {
    if (reply.body === null) outgoing.end();
    else outgoing.end(reply.body);
    recordReply(reply, reply.body?.length ?? 0);
    return;
  }
  const sent = await sendBlob(reply.blob, outgoing);
  outgoing.end();
  recordReply(reply, sent);
}

function readIncoming(incoming: IncomingMessage, connection: EdgeConnection): EdgeRequest {
  const { headers, method = 'GET', rawHeaders } = incoming;
  let target = incoming.url ?? '/';
  let host = headers.host ?? '';
  // Two Host headers are an attempt to be two sites at once; node keeps the first, we keep none.
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) host = '';
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target);
  if (absolute !== null) {
    host = absolute[1] ?? '';
    const rest = absolute[2] ?? '';
    target = rest.startsWith('/') ? rest : `/${rest}`;
  }
  return {
    method,
    target,
    host,
    acceptEncoding: headers['accept-encoding']?.toString() ?? '',
    acceptLanguage: headers['accept-language'] ?? '',
    range: headers.range ?? '',
    ifRange: headers['if-range']?.toString() ?? '',
    ifMatch: headers['if-match'] ?? '',
    ifNoneMatch: headers['if-none-match'] ?? '',
    ifModifiedSince: headers['if-modified-since'] ?? '',
    ifUnmodifiedSince: headers['if-unmodified-since'] ?? '',
    forwardedProto: headers['x-forwarded-proto']?.toString() ?? '',
    connection,
  };
}
