import type { MessageDescriptor } from '@lingui/core';
import { useLingui } from '@lingui/react/macro';
import { NativeSelect, SimpleGrid, TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { toProvince } from '#server/services/billing/months/tax-rules.ts';
import { DEFAULT_COUNTRY } from '#server/services/billing/rules.ts';
import type { Contact } from './contact.ts';
import { COUNTRY_WORDS, PROVINCE_WORDS } from './place-names.ts';
import { sortByLabel } from './sort-by-label.ts';

type FieldProps = Required<Pick<TextInputProps, 'name' | 'maxLength'>> & {
  defaultValue: string;
  error: string | undefined;
};

/** A postal address. In Canada the province is chosen from a list, because it determines the taxes. */
export function AddressFields(props: {
  field: (name: Exclude<keyof Contact, 'tax_ids'>) => FieldProps;
  isSetup: boolean;
}) {
  const { t, i18n } = useLingui();
  const { field, isSetup } = props;
  const { defaultValue: knownCountry, maxLength: _, ...countryField } = field('billing_country');
  const [country, setCountry] = useState(isSetup ? DEFAULT_COUNTRY : knownCountry);
  const isCanadian = country === 'CA';
  const { maxLength: __, ...provinceField } = field('billing_province');
  const wordsOf = ([value, words]: [string, MessageDescriptor]) => ({ value, label: i18n._(words) });
  const provinces = sortByLabel(Object.entries(PROVINCE_WORDS).map(wordsOf), i18n.locale);
  const countries = sortByLabel(
    Object.entries(COUNTRY_WORDS)
      .filter(([code]) => !isSetup || code === DEFAULT_COUNTRY)
      .map(wordsOf),
    i18n.locale,
    DEFAULT_COUNTRY,
  );
  if (!isSetup) countries.push({ value: '', label: t({ message: 'Other', context: 'country' }) });
  return (
    <>
      <TextInput
        {...field('billing_address_line1')}
        label={t`Address line 1`}
        required={isSetup}
        autoComplete="billing address-line1"
      />
      <TextInput
        {...field('billing_address_line2')}
        label={t`Address line 2`}
        autoComplete="billing address-line2"
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="md">
        <TextInput
          {...field('billing_city')}
          label={t`City`}
          required={isSetup}
          autoComplete="billing address-level2"
        />
        {isCanadian ? (
          <NativeSelect
            key="province"
            {...provinceField}
            defaultValue={toProvince(provinceField.defaultValue) ?? ''}
            label={t`Province`}
            required={isSetup}
            autoComplete="billing address-level1"
            data={[{ value: '', label: t`Choose…` }, ...provinces]}
          />
        ) : (
          <TextInput
            key="region"
            {...field('billing_province')}
            label={t`Province, state or region`}
            autoComplete="billing address-level1"
          />
        )}
        <TextInput
          {...field('billing_postal_code')}
          label={t`Postal code`}
          required={isSetup}
          autoComplete="billing postal-code"
          autoCapitalize="characters"
        />
        <NativeSelect
          {...countryField}
          value={country}
          onChange={(event) => setCountry(event.currentTarget.value)}
          label={t`Country`}
          required={isSetup}
          autoComplete="billing country"
          data={countries}
        />
      </SimpleGrid>
    </>
  );
}
