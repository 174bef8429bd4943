import { pipeline, Readable } from 'node:stream';
import type { ReadableStream as NodeWebStream } from 'node:stream/web';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { chooseEncoding } from '../../http-fields/negotiate-encoding.ts';

/**
 * Returns the response compressed in an encoding that the client accepts, part by part: what has been rendered leaves at once and does
 * not wait for the rest. Parts that come in one turn of the loop leave together.
 */
export function compressStream(response: Response, request: Request): Response {
  const headers = new Headers(response.headers);
  headers.append('vary', 'accept-encoding');
  const { status, statusText } = response;
  const encoding = chooseEncoding(request.headers.get('accept-encoding') ?? '', true, true);
  if (response.body === null || request.method === 'HEAD' || encoding === 'identity')
    return new Response(response.body, { status, statusText, headers });
  headers.set('content-encoding', encoding);
  headers.delete('content-length');
  const compressor =
    encoding === 'br'
      ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
      : createGzip({ level: 5 });
  // Safe: the two declarations describe the same object.
  const source = Readable.fromWeb(response.body as NodeWebStream<Uint8Array>);
  let isFlushing = false;
  source.on('data', () => {
    if (isFlushing) return;
    isFlushing = true;
    setImmediate(() => {
      isFlushing = false;
      if (compressor.writable) compressor.flush();
    });
  });
  // Whichever end breaks off ends the other; who reads the response sees why.
  pipeline(source, compressor, () => undefined);
  return new Response(Readable.toWeb(compressor) as ReadableStream<Uint8Array>, {
    status,
    statusText,
    headers,
  });
}
