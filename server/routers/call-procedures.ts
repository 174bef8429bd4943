import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { type AnyTRPCProcedure, getTRPCErrorShape, TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { RequestContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { logFailure } from '../http/failures/log-failure.ts';
import type { RateLimitWindow } from '../limits/rate-limits.ts';
import type { IdempotencyClaim } from '../services/idempotency/claim-idempotency-key.ts';
import { appRouter } from './app-router.ts';
import { type CallResult, runMutationOnce } from './run-mutation-once.ts';
import { headersOfLimits, statusOfErrors, toTrpcError } from './trpc.ts';
import { wireTransformer } from './wire-transformer.ts';

/** Which procedures are called. */
export interface CalledProcedures {
  /** Their names, each at its place in the batch. */
  paths: readonly string[];
  /** Whether the response is a list with one entry each, however few. */
  isBatch: boolean;
  /** The rate-limit windows their request was counted in. */
  windows: readonly RateLimitWindow[];
}

/** A request to call procedures. */
export interface ProcedureRequest extends CalledProcedures {
  method: 'GET' | 'POST';
  /** As received: those of a batch by place, otherwise the single one; undefined when none was sent. */
  inputs: unknown;
  /** The `Idempotency-Key` of each call, by place; null without any. */
  keys: readonly (string | null)[] | null;
}

/** The response to it. */
export interface ProcedureResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
}

type ProcedureType = AnyTRPCProcedure['_def']['type'];

const METHODS: Record<ProcedureType, ProcedureRequest['method'] | null> = {
  query: 'GET',
  mutation: 'POST',
  subscription: null,
};

/** tRPC types its procedures as the tree they were declared in, but keeps them by their dotted names. */
export const procedures = appRouter._def.procedures as unknown as Record<
  string,
  AnyTRPCProcedure | undefined
>;

/** Calls of one request that run in one turn of the event loop; a page of the console makes no more at once. */
const CALLS_PER_TURN = 8;

type Outcome = CallResult | { error: TRPCError };

/**
 * Calls procedures as tRPC's links without streams request them. tRPC's own adapters create a Request and a
 * Response of fetch with their streams for that, which takes longer than most procedures.
 */
export async function callProcedures(
  context: RequestContext,
  request: ProcedureRequest,
): Promise<ProcedureResponse> {
  const outcomes = await Promise.all(request.paths.map((path, index) => call(context, request, path, index)));
  return toPlainResponse(outcomes, request, context);
}

/** Returns the response to a request that is refused as a whole: every call gets the same error. */
export function refuseProcedures(error: TRPCError, called: CalledProcedures): ProcedureResponse {
  return toPlainResponse(
    called.paths.map(() => ({ error })),
    called,
  );
}

async function call(
  ctx: RequestContext,
  { method, isBatch, inputs, keys }: ProcedureRequest,
  path: string,
  batchIndex: number,
): Promise<Outcome> {
  // Reads of an embedded database take no turn by themselves: fifty calls would be one pause for everybody else.
  for (let ahead = batchIndex; ahead >= CALLS_PER_TURN; ahead -= CALLS_PER_TURN) await nextTurnOfLoop();
  try {
    const procedure = procedures[path];
    if (!procedure) throw toTrpcError(new AppError('not_found'));
    const { type } = procedure._def;
    if (METHODS[type] !== method) throw toTrpcError(new AppError('method_not_allowed'));
    const readInput = () => (isBatch ? inputAt(inputs, batchIndex) : inputs);
    const getRawInput = async () => wireTransformer.input.deserialize(readInput());
    const run = (claim: IdempotencyClaim | null) =>
      procedure({ ctx: { ...ctx, claim }, path, type, getRawInput, signal: undefined, batchIndex });
    const key = keys?.[batchIndex] ?? null;
    if (key === null || type !== 'mutation') return { data: await run(null), isRepeated: false };
    return await runMutationOnce(ctx, { path, input: readInput(), key }, run);
  } catch (error) {
    if (error instanceof TRPCError) return { error };
    // Only what surrounds a procedure throws anything else.
    const { address, requestId } = ctx;
    const failed = { method, path, address, requestId };
    return { error: toTrpcError(logFailure(ctx.app.logger, error, failed)) };
  }
}

/** @throws invalid_input when the inputs of a batch are not by place */
function inputAt(inputs: unknown, index: number): unknown {
  if (inputs === undefined) return undefined;
  if (typeof inputs !== 'object' || inputs === null) {
    throw new AppError('invalid_input', { reason: 'the inputs of a batch must be an object' });
  }
  return inputs[index as keyof typeof inputs];
}

function toPlainResponse(
  outcomes: readonly Outcome[],
  { paths, isBatch, windows }: CalledProcedures,
  ctx?: RequestContext,
): ProcedureResponse {
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []));
  const statuses = new Set(errors.map(getHTTPStatusCodeFromError));
  if (errors.length < outcomes.length) statuses.add(200);
  const [status = 200] = statuses;
  const isRepeated = outcomes.every((outcome) => 'data' in outcome && outcome.isRepeated);
  const items = outcomes.map((outcome, index) => {
    if ('data' in outcome) return { result: { data: wireTransformer.output.serialize(outcome.data) } };
    return { error: wireTransformer.output.serialize(shapeOf(outcome.error, paths[index] ?? '', ctx)) };
  });
  return {
    status: statusOfErrors(errors) ?? (statuses.size > 1 ? 207 : status),
    headers: {
      'content-type': 'application/json',
      ...(isRepeated ? { 'idempotency-replayed': 'true' } : {}),
      ...headersOfLimits(errors, windows),
    },
    text: JSON.stringify(isBatch ? items : items[0]),
  };
}

function shapeOf(error: TRPCError, path: string, ctx: RequestContext | undefined) {
  const type = procedures[path]?._def.type ?? 'unknown';
  return getTRPCErrorShape({ config: appRouter._def._config, error, type, path, input: undefined, ctx });
}
