import { describe, expect, it } from 'vitest';
import { createCustomerInput, updateContactInput } from '#server/services/billing/schema.ts';
import { toContactInput, toCustomerInput } from './contact.ts';

const TYPED = {
  billing_name: 'Ada Lovelace',
  billing_email: 'ada@example.ca',
  billing_company: '',
  billing_phone: '514 555-0100',
  billing_address_line1: '1 rue Sainte-Catherine',
  billing_address_line2: ' ',
  billing_city: 'Montréal',
  billing_province: 'QC',
  billing_postal_code: 'H2X 1K4',
  billing_country: 'CA',
};

describe('a billing contact that was typed', () => {
  it('leaves out what is empty, and tax numbers without a type or a number', () => {
    const typed = {
      ...TYPED,
      tax_type_0: 'GST',
      tax_number_0: '123456789 RT0001',
      tax_type_1: 'QST',
      tax_number_1: ' ',
      tax_type_2: '',
      tax_number_2: '5',
    };
    const { billing_company: _, billing_address_line2: __, ...sent } = TYPED;
    expect(toContactInput(typed)).toEqual({ ...sent, tax_ids: { GST: '123456789 RT0001' } });
    expect(toContactInput(TYPED)).toEqual(sent);
  });

  it('requires a name and an email address even when the rest may be empty', () => {
    const checked = updateContactInput.safeParse(toContactInput({ billing_name: ' ', billing_email: '' }));
    expect(checked.error?.issues.map(({ path }) => path[0])).toEqual(['billing_email', 'billing_name']);
  });

  it('becomes the payload of a new customer, without the phone', () => {
    const payload = toCustomerInput(toContactInput({ ...TYPED, billing_company: 'Engines' }));
    expect(payload).toEqual({
      email: 'ada@example.ca',
      name: 'Ada Lovelace',
      company_name: 'Engines',
      address_line1: '1 rue Sainte-Catherine',
      city: 'Montréal',
      province: 'QC',
      postal_code: 'H2X 1K4',
      country: 'CA',
    });
    expect(createCustomerInput.safeParse(payload).success).toBe(true);
  });
});
