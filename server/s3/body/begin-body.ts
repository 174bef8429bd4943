import type { PieceBody, S3Answer } from '../call.ts';

/**
 * Returns the answer once the first bytes of its body are read: content that is lost or cannot be reached is
 * still answered with an error then, because nothing has been sent.
 */
export async function beginBody(answer: S3Answer): Promise<S3Answer> {
  const { body } = answer;
  if (!isPieceBody(body)) return answer;
  const rest = body.read()[Symbol.asyncIterator]();
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
  return { ...answer, body: { length: body.length, read: () => chunks } };
}

/** Closes what the body of an answer that will not be sent has opened. */
export async function abandonBody({ body }: S3Answer): Promise<void> {
  if (isPieceBody(body)) await body.read()[Symbol.asyncIterator]().return?.();
}

function isPieceBody(body: S3Answer['body']): body is PieceBody {
  return body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
}
