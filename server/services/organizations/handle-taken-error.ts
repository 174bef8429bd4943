import { AppError } from '#server/errors.ts';

/** Returns the error for a handle that is taken, for the field where it was typed. */
export function handleTakenError(handle: string): AppError {
  return new AppError('organization_handle_taken', { handle }, [
    { path: 'handle', message: `The short name ${handle} is taken` },
  ]);
}
