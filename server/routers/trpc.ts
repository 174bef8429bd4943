import { initTRPC, TRPCError } from '@trpc/server';
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc';
import { z } from 'zod';
import type { OrganizationContext, RequestContext } from '../context.ts';
import { type ErrorKind, type ErrorShape, KIND_OF_CODE, STATUS_OF_KIND } from '../error-codes.ts';
import { AppError, retryAfterOf, toAppError } from '../errors.ts';
import { logRefusedDeploy } from '../http/failures/log-refused-deploy.ts';
import { toRateLimitHeaders, windowsOfErrors } from '../http/failures/rate-limit-headers.ts';
import type { RateLimitWindow } from '../limits/rate-limits.ts';
import { FULL_MESSAGE, isDatabaseFull, logOutage } from '../logging/log-outage.ts';
import { resolveOrganization } from '../services/organizations/resolve-organization.ts';
import { idSchema } from '../services/shared/schema.ts';
import { parsingAtOnce } from './parsing-at-once.ts';
import { wireTransformer } from './wire-transformer.ts';

/** tRPC's name for each kind of error; the HTTP status follows from it and agrees with STATUS_OF_KIND. */
const TRPC_CODE_OF_KIND: Record<ErrorKind, TRPC_ERROR_CODE_KEY> = {
  invalid: 'BAD_REQUEST',
  unauthenticated: 'UNAUTHORIZED',
  payment_required: 'PAYMENT_REQUIRED',
  forbidden: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  method_not_allowed: 'METHOD_NOT_SUPPORTED',
  conflict: 'CONFLICT',
  too_large: 'PAYLOAD_TOO_LARGE',
  unsupported_media_type: 'UNSUPPORTED_MEDIA_TYPE',
  too_many: 'TOO_MANY_REQUESTS',
  storage_full: 'INTERNAL_SERVER_ERROR',
  unavailable: 'SERVICE_UNAVAILABLE',
  internal: 'INTERNAL_SERVER_ERROR',
};

/** A request that was refused before its context existed; it still has the request's id. */
export class RequestRefusal extends TRPCError {
  readonly requestId: string;

  constructor(refusal: AppError, requestId: string) {
    super({
      code: TRPC_CODE_OF_KIND[KIND_OF_CODE[refusal.code]],
      message: refusal.message,
      cause: refusal,
    });
    this.requestId = requestId;
  }
}

const t = initTRPC.context<RequestContext>().create({
  transformer: wireTransformer,
  errorFormatter({ shape, error, ctx }) {
    const appError = toAppError(error.cause ?? error);
    const known: ErrorShape = {
      code: appError.code === 'internal' && error.code === 'NOT_FOUND' ? 'not_found' : appError.code,
      message: appError.message,
      params: appError.params,
      fields: appError.fields,
      request_id: ctx?.requestId ?? (error instanceof RequestRefusal ? error.requestId : null),
    };
    return {
      ...shape,
      message: known.message,
      data: { code: shape.data.code, httpStatus: shape.data.httpStatus, error: known },
    };
  },
});

/** Returns tRPC's error for anything thrown, with our code inside. */
export function toTrpcError(error: unknown): TRPCError {
  const appError = toAppError(error);
  const code = TRPC_CODE_OF_KIND[KIND_OF_CODE[appError.code]];
  return new TRPCError({ code, message: appError.message, cause: appError });
}

/** Returns the HTTP status of a response when tRPC's own table lacks it (507), otherwise undefined. */
export function statusOfErrors(errors: readonly TRPCError[]): number | undefined {
  const isFull = errors.some(({ cause }) => cause instanceof AppError && cause.code === 'storage_full');
  return isFull ? STATUS_OF_KIND.storage_full : undefined;
}

/** Returns the headers that tell a client how much of its limits is left, and a refused one when to retry. */
export function headersOfLimits(
  errors: readonly TRPCError[],
  counted: readonly RateLimitWindow[],
): Record<string, string> {
  const refusals = errors.map(({ cause }) => cause).filter((cause) => cause instanceof AppError);
  const seconds = refusals.map(retryAfterOf).filter((each) => each !== null);
  return {
    ...toRateLimitHeaders([...counted, ...windowsOfErrors(refusals)]),
    ...(seconds.length > 0 ? { 'retry-after': String(Math.max(...seconds)) } : {}),
  };
}

export const router = t.router;

/** The ids in an input, as far as they are valid. */
const namedSchema = z.object({ organization_id: idSchema.optional(), site_id: idSchema.optional() });

/** Turns anything a verb threw into tRPC's error with our code inside, and logs unexpected errors. */
const withErrors = t.middleware(async ({ ctx, next, path, type, getRawInput }) => {
  const result = await next();
  if (result.ok) return result;
  const appError = toAppError(result.error.cause ?? result.error);
  const isOurs = appError.code !== 'internal';
  const isDefect = !isOurs && result.error.code === 'INTERNAL_SERVER_ERROR';
  const line = { err: result.error.cause ?? result.error, path, request_id: ctx.requestId };
  if (isDefect) ctx.app.logger.error(line, 'procedure failed');
  else if (appError.code === 'service_unavailable') logOutage(ctx.app.logger, 'error', line);
  else if (isDatabaseFull(line.err)) logOutage(ctx.app.logger, 'error', line, FULL_MESSAGE);
  if (!isOurs) return result;
  if (type === 'mutation') {
    const { app, address, requestId } = ctx;
    // An input that cannot be read is the reason of the refusal.
    const named = namedSchema.safeParse(await getRawInput().catch(() => null)).data;
    await logRefusedDeploy(app, appError, { path, address, requestId, ...named });
  }
  throw toTrpcError(appError);
});

/** For anyone, signed in or not. */
export const publicProcedure = parsingAtOnce(t.procedure).use(withErrors);

/**
 * For work inside an organization: every input names it by `organization_id`, and the membership (or the
 * credential's organization) is checked before the verb runs. Someone else's organization does not exist:
 * organization_not_found.
 */
export const organizationProcedure = publicProcedure
  .input(z.object({ organization_id: idSchema }))
  .use(async ({ ctx, input, next }) => {
    const context: OrganizationContext = await resolveOrganization(ctx, input.organization_id);
    return next({ ctx: context });
  });
