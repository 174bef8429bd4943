import type * as acme from 'acme-client';
import { z } from 'zod';
import { AcmeProblem, isCaaProblem, problemSchema, problemWords } from './acme-problem.ts';
import { AuthorityError, type AuthorityOrder } from './authority.ts';

const orderSchema = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: z.array(z.url()).max(200),
  finalize: z.url(),
  certificate: z.url().nullish().catch(null),
  error: problemSchema.nullish().catch(null),
});

const authorizationSchema = z.object({
  identifier: z.object({ value: z.string() }),
  status: z.string(),
  challenges: z.array(
    z.object({
      type: z.string(),
      url: z.url(),
      status: z.string(),
      token: z.string().default(''),
      error: problemSchema.nullish().catch(null),
    }),
  ),
});

/** An order as the server shows it, along with the object that the library expects. */
export interface ShownOrder extends z.output<typeof orderSchema> {
  order: acme.Order;
}

type Authorization = z.output<typeof authorizationSchema>;

/**
 * Returns an order by its address.
 * @throws AuthorityError, `gone` when it does not belong (or no longer belongs) to this account
 */
export async function findOrder(client: acme.Client, orderUrl: string): Promise<ShownOrder> {
  try {
    const order = await client.getOrder(orderAt(orderUrl));
    return { ...parse(orderSchema, order, 'order'), order };
  } catch (error) {
    if (error instanceof AcmeProblem && isGone(error)) {
      throw new AuthorityError('gone', 'The order is no longer known.', { cause: error });
    }
    throw error;
  }
}

/** An order of another account, after ours was created anew, is refused with a reason. */
function isGone({ status, type }: AcmeProblem): boolean {
  return status === 404 || status === 410 || (status === 403 && type === 'unauthorized');
}

/**
 * Returns the status of the order and the values of its challenge records.
 * @throws AuthorityError, `caa` when a CAA record ended it
 */
export async function describeOrder(client: acme.Client, shown: ShownOrder): Promise<AuthorityOrder> {
  if (shown.status !== 'pending' && shown.status !== 'invalid') {
    return { status: shown.status, txtValues: [], problem: null, isUnseen: false };
  }
  const authorizations = await listAuthorizations(client, shown);
  const failed = authorizations.filter(({ status }) => status === 'invalid');
  if (shown.status === 'invalid' || failed.length > 0) {
    return { status: 'invalid', txtValues: [], problem: explainFailure(shown, failed), isUnseen: false };
  }
  const open = authorizations.filter(({ status }) => status === 'pending').map(dnsChallenge);
  const txtValues = await Promise.all(
    open.map((challenge) => client.getChallengeKeyAuthorization({ ...challenge, ...AS_CHALLENGE })),
  );
  return {
    status: 'pending',
    txtValues: [...new Set(txtValues)],
    problem: null,
    isUnseen: open.some((challenge) => isRetried(challenge)),
  };
}

/**
 * Tells the server that it can look up what is still to be proven. Repeating this has no effect.
 * @throws AuthorityError
 */
export async function completeChallenges(client: acme.Client, shown: ShownOrder): Promise<void> {
  if (shown.status !== 'pending') return;
  const waiting = (authorizations: Authorization[]) =>
    authorizations
      .filter(({ status }) => status === 'pending')
      .map(dnsChallenge)
      .filter((challenge) => challenge.status === 'pending' || isRetried(challenge));
  for (const challenge of waiting(await listAuthorizations(client, shown))) {
    try {
      await client.completeChallenge({ ...challenge, ...AS_CHALLENGE });
    } catch (error) {
      if (!(error instanceof AcmeProblem) || error.kind !== 'refused') throw error;
      // Another node may have been faster, and the server has already looked.
      const left = waiting(await listAuthorizations(client, shown));
      if (left.some(({ url }) => url === challenge.url)) throw error;
    }
  }
}

/** The library requires the whole type but reads only the token and the address. */
const AS_CHALLENGE = { type: 'dns-01', status: 'pending', error: undefined } as const;

/** The only property of an order that the library reads: its address. */
function orderAt(url: string): acme.Order {
  return { url, status: 'pending', identifiers: [], authorizations: [], finalize: '' };
}

async function listAuthorizations(client: acme.Client, { order }: ShownOrder): Promise<Authorization[]> {
  const found = await client.getAuthorizations(order);
  return found.map((authorization) => parse(authorizationSchema, authorization, 'authorization'));
}

/**
 * Whether a server reports a failed check without having given up: answering again makes it check again (RFC
 * 8555, 8.2).
 */
function isRetried({ status, error }: Authorization['challenges'][number]): boolean {
  return (status === 'pending' || status === 'processing') && error !== null && error !== undefined;
}

function dnsChallenge({ identifier, challenges }: Authorization) {
  const challenge = challenges.find(({ type, token }) => type === 'dns-01' && token !== '');
  if (challenge) return challenge;
  throw new AuthorityError('refused', `The authority offers no proof by DNS for ${identifier.value}.`);
}

/** Null when the server gave no reason, as for an expired order. */
function explainFailure(shown: ShownOrder, failed: Authorization[]): string | null {
  const challenges = failed.flatMap(({ identifier, challenges }) =>
    challenges.map(({ error }) => ({ name: identifier.value, error })),
  );
  const sentences = challenges.flatMap(({ name, error }) => {
    const words = error && problemWords(error);
    return words ? [`${name}: ${words}`] : [];
  });
  const ofOrder = shown.error ? problemWords(shown.error) : null;
  const problem = problemWords({ detail: sentences.join(' ') }) ?? ofOrder;
  const documents = [...challenges.map(({ error }) => error), shown.error];
  if (documents.some((document) => document && isCaaProblem(document))) {
    throw new AuthorityError('caa', problem ?? 'A CAA record forbids it.');
  }
  return problem;
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AuthorityError('unavailable', `The authority returned an unreadable ${what}.`, {
    cause: parsed.error,
  });
}
