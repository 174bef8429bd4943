import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { PAYMENT_METHODS_MAX } from '#server/services/billing/rules.ts';
import type { Customer } from '#server/services/billing/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { lazyPart } from '../../../components/lazy-parts/lazy-part.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import classes from '../managed-rows.module.css';
import { PaymentMethodRow } from './payment-method-row.tsx';
import { usePaymentMethods } from './use-payment-methods.tsx';

/** The provider's form is loaded when a card is added: most visits of the page add none. */
const CardEntry = lazyPart(async () => ({ default: (await import('./card-entry.tsx')).CardEntry }));

/** The cards of an organization: which one is charged, and actions to add, choose and remove one. */
export function PaymentMethodsCard(props: {
  customer: Customer;
  customerQuery: { isError: boolean; isFetching: boolean; refetch: () => unknown };
}) {
  const { t } = useLingui();
  const { customer, customerQuery } = props;
  const { organization } = useOrganization();
  const permissionReason = usePermissionReason()('billing.manage');
  const methods = usePaymentMethods();
  const [entry, setEntry] = useState<'unopened' | 'open' | 'closed'>('unopened');
  const isAdding = entry === 'open';
  const isFull = customer.payment_methods.length >= PAYMENT_METHODS_MAX;
  const addReason =
    permissionReason ??
    (isFull ? t`You can have at most ${PAYMENT_METHODS_MAX} cards. Remove one first.` : null);
  return (
    <SectionCard
      title={<Trans>Payment methods</Trans>}
      action={
        !isAdding && (
          <ReasonedAction reason={addReason} onAct={() => setEntry('open')}>
            {(action) => (
              <Button
                variant="default"
                // The focus was in the form.
                autoFocus={entry === 'closed'}
                leftSection={<IconPlus size={16} stroke={2} aria-hidden />}
                {...action}
              >
                <Trans>Add card</Trans>
              </Button>
            )}
          </ReasonedAction>
        )
      }
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          <Trans>Invoices are charged to the default card.</Trans>
        </Text>
        {customerQuery.isError && (
          <ErrorNotice onRetry={customerQuery.refetch}>
            <Trans>Failed to load payment methods</Trans>
          </ErrorNotice>
        )}
        {methods.failure && <ErrorNotice>{methods.failure}</ErrorNotice>}
        {customer.payment_methods.length === 0 ? (
          <Text size="sm" c="dimmed">
            <Trans>There is no card yet. Add one to create sites and endpoints and to pay invoices.</Trans>
          </Text>
        ) : (
          <ul className={classes.list}>
            {customer.payment_methods.map((method) => (
              <PaymentMethodRow
                key={method.id}
                method={method}
                isDefault={method.id === customer.default_payment_method_id}
                isOnly={customer.payment_methods.length === 1}
                reason={permissionReason}
                methods={methods}
              />
            ))}
          </ul>
        )}
        {isAdding && permissionReason === null && (
          <Suspense fallback={<Skeleton height={260} />}>
            <CardEntry
              organizationId={organization.id}
              label={t`Add card`}
              submitLabel={<Trans>Add Card</Trans>}
              aside={
                <Button variant="default" onClick={() => setEntry('closed')}>
                  <Trans>Cancel</Trans>
                </Button>
              }
              onAdded={(customer) => {
                setEntry('closed');
                methods.completeAdding(customer);
              }}
            />
          </Suspense>
        )}
      </Stack>
    </SectionCard>
  );
}
