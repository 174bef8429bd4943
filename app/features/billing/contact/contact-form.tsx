import { useLingui } from '@lingui/react/macro';
import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { type UpdateContactInput, updateContactInput } from '#server/services/billing/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useSchemaForm } from '../../../components/forms/use-schema-form.ts';
import { SlowProviderNote } from '../slow-provider-note.tsx';
import { AddressFields } from './address-fields.tsx';
import { type Contact, toContactInput, toTaxIds } from './contact.ts';
import { TaxIdFields } from './tax-id-fields.tsx';
import { useContactWords } from './use-contact-words.ts';

/** The maximum of the schema. */
const TEXT_MAX = 100;
const EMAIL_MAX = 254;

/**
 * Who invoices are addressed to: name and email, an address whose province determines the taxes, and tax
 * numbers. A failure keeps everything that was typed.
 */
export function ContactForm(props: {
  /** Names the form for assistive technology. */
  label: string;
  organizationId: string;
  /** Initial values of the fields. */
  defaults: Contact;
  /** A first setup requires an address, and only in Canada. */
  isSetup?: boolean;
  submitLabel: ReactNode;
  /** Shown at the start of the button's line, e.g. a back link. */
  aside?: ReactNode;
  /** Shown next to the button, e.g. that it was saved. */
  note?: ReactNode;
  /** Says what failed when the error itself has no explanation. */
  failureWords: string;
  /** Sends the validated contact, without empty fields. */
  send: (contact: UpdateContactInput) => Promise<void>;
}) {
  const { t } = useLingui();
  const { defaults, isSetup = false } = props;
  const form = useSchemaForm({
    schema: updateContactInput,
    draft: `contact ${props.organizationId}`,
    wordsOf: useContactWords(),
    toInput: toContactInput,
    failureWords: props.failureWords,
    send: (contact) => props.send(withoutEmpty(contact)),
  });
  const { errors, typed } = form;
  const field = (name: Exclude<keyof Contact, 'tax_ids'>) => ({
    name,
    defaultValue: typed[name] ?? defaults[name],
    error: errors[name],
    maxLength: TEXT_MAX,
  });
  return (
    <form {...form.formProps} aria-label={props.label}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="md">
          <TextInput
            {...field('billing_name')}
            label={t`Contact name`}
            required
            autoComplete="billing name"
          />
          <TextInput
            {...field('billing_email')}
            type="email"
            maxLength={EMAIL_MAX}
            label={t`Billing email`}
            required
            autoComplete="billing email"
            autoCapitalize="none"
          />
          <TextInput {...field('billing_company')} label={t`Company`} autoComplete="billing organization" />
          <TextInput {...field('billing_phone')} type="tel" label={t`Phone`} autoComplete="billing tel" />
        </SimpleGrid>
        <AddressFields field={field} isSetup={isSetup} />
        <TaxIdFields
          key={form.draft ? 'typed' : 'stored'}
          defaults={form.draft ? toTaxIds(form.draft) : defaults.tax_ids}
          hasError={errors.tax_ids !== undefined}
        />
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <SlowProviderNote isPending={form.isPending} />
        <Group
          justify={props.aside ? 'space-between' : 'flex-start'}
          gap="sm"
          style={{ flexWrap: 'wrap-reverse' }}
        >
          {props.aside}
          <Group gap="sm">
            <Button type="submit" loading={form.isPending}>
              {props.submitLabel}
            </Button>
            {props.note}
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

/** The schema turns empty fields into null; the payload omits them. */
function withoutEmpty(contact: Record<string, unknown>): UpdateContactInput {
  return Object.fromEntries(Object.entries(contact).filter(([, value]) => value !== null && value !== ''));
}
