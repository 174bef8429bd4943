import { Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { TAX_ID_TYPES } from '#server/services/billing/rules.ts';
import type { Customer } from '#server/services/billing/schema.ts';
import { Facts } from '../../../components/facts.tsx';
import { SavedMark } from '../../../components/forms/saved-mark.tsx';
import { useSaved } from '../../../components/forms/use-saved.ts';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { contactOf } from './contact.ts';
import { ContactForm } from './contact-form.tsx';
import { COUNTRY_WORDS } from './place-names.ts';
import { useTaxIdWords } from './use-tax-id-words.ts';

/** The billing contact: a form for people who may change it, plain facts for everyone else. */
export function ContactCard({ customer }: { customer: Customer }) {
  const reason = usePermissionReason()('billing.manage');
  return (
    <SectionCard
      title={<Trans>Billing contact</Trans>}
      description={
        <Trans>
          Who invoices are addressed to, starting with the next one. The province determines the taxes.
        </Trans>
      }
    >
      {reason === null ? (
        <EditableContact customer={customer} />
      ) : (
        <ReadableContact customer={customer} reason={reason} />
      )}
    </SectionCard>
  );
}

function EditableContact({ customer }: { customer: Customer }) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const utils = trpc.useUtils();
  const update = trpc.billing.updateContact.useMutation();
  const [isSaved, showSaved, hideSaved] = useSaved();
  const ofOrganization = { organization_id: organization.id };
  return (
    <ContactForm
      organizationId={organization.id}
      label={t`Billing contact`}
      defaults={contactOf(customer)}
      submitLabel={<Trans>Update Billing Contact</Trans>}
      failureWords={t`Failed to update billing contact`}
      note={
        <SavedMark isShown={isSaved}>
          <Trans>Billing contact information updated successfully</Trans>
        </SavedMark>
      }
      send={async (contact) => {
        hideSaved();
        const updated = await update.mutateAsync({ ...ofOrganization, ...contact });
        utils.billing.customer.setData(ofOrganization, updated);
        // Another province means other taxes.
        void utils.billing.cost.invalidate(ofOrganization);
        showSaved();
      }}
    />
  );
}

function ReadableContact({ customer, reason }: { customer: Customer; reason: string }) {
  const { t, i18n } = useLingui();
  const taxIdWords = useTaxIdWords();
  const { billing_address_line1: line1, billing_address_line2: line2, tax_ids: taxIds } = customer;
  const country = COUNTRY_WORDS[customer.billing_country ?? ''];
  const place = [
    line1,
    line2,
    customer.billing_city,
    customer.billing_province,
    customer.billing_postal_code,
  ];
  const facts = [
    { name: t`Contact name`, value: customer.billing_name },
    { name: t`Billing email`, value: customer.billing_email },
    { name: t`Company`, value: customer.billing_company },
    { name: t`Phone`, value: customer.billing_phone },
    { name: t`Address`, value: place.filter(Boolean).join(', ') },
    { name: t`Country`, value: country && i18n._(country) },
    ...TAX_ID_TYPES.map((type) => ({ name: taxIdWords[type], value: taxIds[type] })),
  ].filter(({ value }) => value);
  return (
    <>
      <Facts facts={facts} />
      <Text size="sm" c="dimmed" mt="md">
        {reason}
      </Text>
    </>
  );
}
