import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import type { Customer, UpdateContactInput } from '#server/services/billing/schema.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization, useUser } from '../../organizations/use-organization.ts';
import { contactOf, newContact, toCustomerInput } from '../contact/contact.ts';
import { ContactForm } from '../contact/contact-form.tsx';
import { OnboardingHead } from './onboarding-head.tsx';

/** Asks who invoices are addressed to, and creates the billing customer from that. */
export function OnboardingContact(props: {
  organizationId: string;
  /** The existing one, if any. */
  customer: Customer | null;
  onBack: () => void;
  onDone: () => void;
}) {
  const { t } = useLingui();
  const user = useUser();
  const { organization } = useOrganization();
  const utils = trpc.useUtils();
  const create = trpc.billing.createCustomer.useMutation();
  const update = trpc.billing.updateContact.useMutation();
  const of = { organization_id: props.organizationId };
  const defaults = props.customer
    ? contactOf(props.customer)
    : newContact({ name: user.full_name, email: user.email, company: organization.name });

  const send = async (contact: UpdateContactInput) => {
    let customer = await create.mutateAsync({ ...of, ...toCustomerInput(contact) });
    // The payload of a new customer has no phone, so what was typed is sent separately.
    if ((contact.billing_phone ?? '') !== (customer.billing_phone ?? '')) {
      customer = await update.mutateAsync({ ...of, ...contact });
    }
    // One that was read before the phone was sent must not replace this.
    await utils.billing.customer.cancel(of);
    utils.billing.customer.setData(of, customer);
    await utils.billing.status.invalidate(of);
    props.onDone();
  };
  return (
    <Stack gap="lg">
      <OnboardingHead title={<Trans>Billing</Trans>}>
        <Trans>Who your invoices are addressed to. The province determines the taxes.</Trans>
      </OnboardingHead>
      <ContactForm
        organizationId={organization.id}
        label={t`Billing contact`}
        defaults={defaults}
        isSetup
        submitLabel={<Trans>Continue to Payment</Trans>}
        aside={
          <Button variant="default" onClick={props.onBack}>
            <Trans>Back</Trans>
          </Button>
        }
        failureWords={t`Failed to set up billing`}
        send={send}
      />
    </Stack>
  );
}
