import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { OrganizationContext, RequestContext } from '../context.ts';
import { AppError } from '../errors.ts';
import type { IdempotencyClaim } from '../services/idempotency/claim-idempotency-key.ts';
import { runUnderKey } from '../services/idempotency/run-under-key.ts';
import { resolveOrganization } from '../services/organizations/resolve-organization.ts';
import { actAsOperator } from '../services/people/act-as-operator.ts';
import { idSchema } from '../services/shared/schema.ts';
import { wireTransformer } from './wire-transformer.ts';

/** A call of a mutation. */
interface MutationCall {
  path: string;
  /** As received. */
  input: unknown;
  /** The `Idempotency-Key` of this call; null without one. */
  key: string | null;
}

/** What a call returns. */
export interface CallResult {
  data: unknown;
  /** Whether it is the response to an earlier request. */
  isRepeated: boolean;
}

const STATUS = 200;

/** The organization that an input names. */
const namedSchema = z.object({ organization_id: idSchema });

/**
 * Runs a mutation at most once for its key ({@link runUnderKey}). A repeat is answered only to those who may
 * still do what they could when it ran: in the organization that its input names, or as an operator.
 * @throws what {@link runUnderKey} throws, organization_not_found
 */
export async function runMutationOnce(
  context: RequestContext,
  { path, input, key }: MutationCall,
  run: (claim: IdempotencyClaim | null) => Promise<unknown>,
): Promise<CallResult> {
  return runUnderKey<CallResult>(await enter(context, path, input), {
    key,
    fingerprint: () =>
      createHash('sha256')
        .update(JSON.stringify(['trpc', path, input]))
        .digest('hex'),
    run: async (claim) => ({ data: await run(claim), isRepeated: false }),
    toKept: async ({ data }) => {
      return { status: STATUS, body: JSON.stringify(wireTransformer.output.serialize(data)) };
    },
    toRepeated: async ({ body }) => ({
      data: wireTransformer.output.deserialize(JSON.parse(body)),
      isRepeated: true,
    }),
  });
}

/** Returns the context with the rights that the mutation runs with, as the procedures resolve it themselves. */
async function enter(
  context: RequestContext,
  path: string,
  input: unknown,
): Promise<RequestContext | OrganizationContext> {
  if (path.startsWith('operator.')) return actAsOperator(context);
  const named = namedSchema.safeParse(wireTransformer.input.deserialize(input)).data;
  return named ? resolveOrganization(context, named.organization_id) : context;
}

/**
 * Returns the key of each call from the header `Idempotency-Key`: of a batch those of its calls, in order and
 * separated by commas, where an empty one is none.
 * @throws invalid_input for more or fewer keys than calls
 */
export function keysOfCalls(header: string, isBatch: boolean, calls: number): (string | null)[] {
  if (!isBatch) return [header];
  const keys = header.split(',').map((key) => key.trim());
  if (keys.length !== calls) {
    throw new AppError('invalid_input', { reason: 'Idempotency-Key: one for each call of the batch' });
  }
  return keys.map((key) => (key === '' ? null : key));
}
