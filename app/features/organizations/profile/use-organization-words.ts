import { useLingui } from '@lingui/react/macro';
import {
  LOGIN_MAX_LENGTH,
  LOGIN_MIN_LENGTH,
  loginProblem,
} from '#server/services/identity/accounts/account-rules.ts';
import { RESERVED_HANDLES } from '#server/services/organizations/rules.ts';
import type { TypedValues } from '../../../components/forms/use-schema-form.ts';

/**
 * Returns a function that says, in the language of the page, what is wrong with a field about an
 * organization.
 */
export function useOrganizationWords(): (path: string, typed: TypedValues) => string {
  const { t } = useLingui();

  const handleWords = (handle: string): string => {
    if (handle === '') return t`Enter a short name`;
    if (RESERVED_HANDLES.has(handle)) return t`The short name ${handle} is reserved. Choose another.`;
    return loginProblem(handle) === 'length'
      ? t`Use ${LOGIN_MIN_LENGTH} to ${LOGIN_MAX_LENGTH} characters`
      : t`Use only a-z, 0-9 and hyphens, with a letter or digit at both ends`;
  };

  return (path, typed) => {
    const value = (typed[path] ?? '').trim();
    switch (path) {
      case 'name':
        return value === '' ? t`Enter a name` : t`Use at most 100 characters`;
      case 'handle':
        return handleWords(value.toLowerCase());
      case 'description':
        return t`Use at most 500 characters`;
      case 'location':
        return t`Use at most 100 characters`;
      case 'website':
        return t`Enter a web address, such as https://example.ca`;
      case 'avatar_url':
        return t`Enter an address that begins with https://`;
      case 'email':
        return t`Enter an email address like name@example.ca`;
      default:
        return t`This value is not valid`;
    }
  };
}
