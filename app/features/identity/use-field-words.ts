import { plural } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import {
  LOGIN_MAX_LENGTH,
  LOGIN_MIN_LENGTH,
  loginProblem,
  PASSWORD_MAX_LENGTH,
  PASSWORD_MIN_LENGTH,
  passwordProblem,
} from '#server/services/identity/accounts/account-rules.ts';
import type { TypedValues } from '../../components/forms/use-schema-form.ts';

/**
 * Returns a function that says, in the language of the page, what is wrong with a field of an account form.
 */
export function useFieldWords(): (path: string, typed: TypedValues) => string {
  const { t } = useLingui();

  const passwordWords = (password: string, email: string): string => {
    switch (passwordProblem(password, email)) {
      case 'too_long':
        return t`Use at most ${PASSWORD_MAX_LENGTH} characters`;
      case 'same_as_email':
        return t`The password must not be the email address`;
      case 'common':
        return t`This is one of the most common passwords; choose another`;
      default:
        return t`${plural(PASSWORD_MIN_LENGTH, { one: 'Use at least # character', other: 'Use at least # characters' })}`;
    }
  };

  return (path, typed) => {
    const value = typed[path] ?? '';
    switch (path) {
      case 'full_name':
        return value.trim() === '' ? t`Enter your name` : t`Use at most 100 characters`;
      case 'name':
        return value.trim() === '' ? t`Enter a name` : t`Use at most 60 characters`;
      case 'login':
        return loginProblem(value.trim().toLowerCase()) === 'length'
          ? t`Use ${LOGIN_MIN_LENGTH} to ${LOGIN_MAX_LENGTH} characters`
          : t`Use only a-z, 0-9 and hyphens, with a letter or digit at both ends`;
      case 'email':
        return value.trim() === ''
          ? t`Enter your email address`
          : t`Enter an email address like name@example.ca`;
      case 'password':
        return value === '' ? t`Enter your password` : passwordWords(value, typed.email ?? '');
      case 'new_password':
        return passwordWords(value, typed.email ?? '');
      case 'current_password':
        return t`Enter your current password`;
      case 'code':
        return t`Enter a code`;
      case 'avatar_url':
        return t`Enter an address that begins with https://`;
      default:
        return t`This value is not valid`;
    }
  };
}
