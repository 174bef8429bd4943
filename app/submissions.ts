import { isUnreachable, readError } from './i18n/read-error.ts';

/**
 * The names of what makes something, so that doing it again makes a second one or finds the name taken. Everything else sets what it
 * sets, however often it is repeated: a kept response would only hide what others have changed since.
 */
const MAKING = /\.(create|add(?!Files)|invite|acceptInvitation|report|open|redeliver|rotateSecret|test)/;

/** Whether a mutation is sent with a key. */
export const makesSomething = (path: string) => MAKING.test(path);

/** For how long what is sent again counts as the same, after its response was lost: nobody else should have undone it meanwhile. */
const SAME_MS = 120_000;

/** How long to wait before the second attempt, and at most before one; each wait is twice as long as the one before. */
const WAIT_MS = 1000;
const WAIT_MS_MAX = 8000;

interface Submission {
  /** What is sent, and where to. */
  content: string;
  key: string;
  until: number;
}

/**
 * Returns what sends mutations so that what makes something makes one, even when the response is lost on its way: it is sent with an
 * `Idempotency-Key`, once more by itself, and under the same key when the person then sends the same again. Any other
 * change of the page ends that: it may have undone the first.
 */
export function createSubmissions(wait = waitFor) {
  let lost: Submission | null = null;
  return async <T>(path: string, input: unknown, send: (key: string | null) => Promise<T>): Promise<T> => {
    const before = lost;
    lost = null;
    if (!makesSomething(path)) return send(null);
    const content = `${path} ${JSON.stringify(input)}`;
    const isSame = before?.content === content && Date.now() < before.until;
    // Random in pages without https too, where `randomUUID` is missing.
    const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');
    const submission = isSame ? before : { content, key: newKey(), until: 0 };
    try {
      return await sendAgain(() => send(submission.key), wait);
    } catch (error) {
      if (isLost(error)) lost = { ...submission, until: submission.until || Date.now() + SAME_MS };
      throw error;
    }
  };
}

async function sendAgain<T>(send: () => Promise<T>, wait: (ms: number) => Promise<void>): Promise<T> {
  for (let ms = WAIT_MS; ; ms *= 2) {
    try {
      return await send();
    } catch (error) {
      // What is still at work is waited for; where nobody answers twice, the person decides.
      const mayFollow = isAtWork(error) || (ms === WAIT_MS && isUnreachable(error));
      if (ms > WAIT_MS_MAX || !mayFollow) throw error;
    }
    await wait(ms);
  }
}

/** Whether nobody knows if it was done. */
const isLost = (error: unknown) => readError(error) === null || isAtWork(error);

/** Whether the first attempt has not ended. */
const isAtWork = (error: unknown) => readError(error)?.code === 'idempotency_key_reused';

function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
