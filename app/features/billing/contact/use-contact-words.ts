import { useLingui } from '@lingui/react/macro';
import type { TypedValues } from '../../../components/forms/use-schema-form.ts';

/**
 * Returns a function that says, in the language of the page, what is wrong with a field of a billing contact.
 */
export function useContactWords(): (path: string, typed: TypedValues) => string {
  const { t } = useLingui();
  const tooLong = t`Use at most 100 characters`;
  return (path, typed) => {
    const isEmpty = (typed[path] ?? '').trim() === '';
    const isCanadian = typed.billing_country === 'CA';
    switch (path) {
      case 'billing_name':
        return isEmpty ? t`Enter the name of a contact` : tooLong;
      case 'billing_email':
        return t`Enter an email address like name@example.ca`;
      case 'billing_address_line1':
        return isEmpty ? t`Enter an address` : tooLong;
      case 'billing_city':
        return isEmpty ? t`Enter a city` : tooLong;
      case 'billing_province':
        return isCanadian ? t`Choose a province or territory` : tooLong;
      case 'billing_postal_code':
        return isCanadian ? t`Enter a postal code such as H2X 1K4` : tooLong;
      case 'tax_ids':
        return t`Check the tax numbers`;
      default:
        return tooLong;
    }
  };
}
