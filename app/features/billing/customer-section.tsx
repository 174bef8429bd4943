import { Trans, useLingui } from '@lingui/react/macro';
import { Skeleton, Stack, Text } from '@mantine/core';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ButtonLink } from '../../components/links.tsx';
import { SectionCard } from '../../components/page/section-card.tsx';
import { readError } from '../../i18n/errors/read-error.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { ContactCard } from './contact/contact-card.tsx';
import { PaymentMethodsCard } from './payment-methods/payment-methods-card.tsx';

/** The billing contact and payment methods, in each state of the billing customer. */
export function CustomerSection() {
  const { t } = useLingui();
  const { organization, can } = useOrganization();
  const customer = trpc.billing.customer.useQuery({ organization_id: organization.id });
  if (customer.isPending) {
    return (
      <Stack gap="lg" role="status" aria-busy aria-label={t`Loading`}>
        <SectionCard title={<Trans>Billing contact</Trans>}>
          <Skeleton height={320} />
        </SectionCard>
        <SectionCard title={<Trans>Payment methods</Trans>}>
          <Skeleton height={64} />
        </SectionCard>
      </Stack>
    );
  }
  if (readError(customer.error)?.code === 'billing_customer_not_found') {
    return (
      <SectionCard title={<Trans>Payment methods</Trans>}>
        <Stack align="flex-start" gap="md">
          <Text size="sm">
            <Trans>This account does not have a billing customer.</Trans>
          </Text>
          {can('billing.manage') && (
            <ButtonLink to="/onboarding">
              <Trans>Set up billing</Trans>
            </ButtonLink>
          )}
        </Stack>
      </SectionCard>
    );
  }
  if (!customer.data) {
    return (
      <ErrorNotice onRetry={customer.refetch}>
        <Trans>Failed to load billing information</Trans>
      </ErrorNotice>
    );
  }
  return (
    <>
      <ContactCard customer={customer.data} />
      <PaymentMethodsCard customer={customer.data} customerQuery={customer} />
    </>
  );
}
