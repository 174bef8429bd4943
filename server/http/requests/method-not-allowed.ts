import { AppError } from '../../errors.ts';

/** The refusal of a method that an address does not have; its response names those that it has (RFC 9110). */
export function methodNotAllowed(...allowed: readonly string[]): AppError {
  return new AppError('method_not_allowed', { allow: allowed.join(', ') });
}
