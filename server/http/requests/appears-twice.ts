import { type AppError, invalidField } from '../../errors.ts';

const NAME_LENGTH_MAX = 40;

/** The refusal of a field or parameter that a request contains twice: only one of its values would count. */
export function appearsTwice(name: string): AppError {
  const path = [...name].slice(0, NAME_LENGTH_MAX).join('');
  return invalidField(path, 'appears twice');
}
