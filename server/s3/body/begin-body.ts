import type { PieceBody, S3Response } from '../call.ts';

/**
 * Returns the response once the first bytes of its body are read: content that is lost or cannot be reached is
 * still answered with an error then, because nothing has been sent.
 * @param portionBytes of what is read at a time
 */
export async function beginBody(response: S3Response, portionBytes: number): Promise<S3Response> {
  const { body } = response;
  if (!isPieceBody(body)) return response;
  const rest = body.read(portionBytes)[Symbol.asyncIterator]();
  const first = await rest.next();
  let isFirst = true;
  const chunks: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => chunks,
    next() {
      if (!isFirst) return rest.next();
      isFirst = false;
      return Promise.resolve(first);
    },
    return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
  };
  return { ...response, body: { length: body.length, read: () => chunks } };
}

/** Closes what the begun body of a response that will not be sent has opened. */
export async function abandonBody({ body }: S3Response): Promise<void> {
  if (isPieceBody(body)) await body.read(0)[Symbol.asyncIterator]().return?.();
}

export function isPieceBody(body: S3Response['body']): body is PieceBody {
  return body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
}
