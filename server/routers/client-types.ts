import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from './app-router.ts';

/** The types that a program needs to call a running installation by tRPC (`portage/trpc`). */
export type { ErrorCode, ErrorParams, ErrorShape, FieldError } from '../error-codes.ts';
export type { AppRouter };

/** What each procedure takes, e.g. `RouterInputs['sites']['create']`. */
export type RouterInputs = inferRouterInputs<AppRouter>;
/** What each procedure returns, e.g. `RouterOutputs['sites']['list']['items'][number]`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;
