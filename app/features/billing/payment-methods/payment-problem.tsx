import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Text } from '@mantine/core';
import { IconCreditCardOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Invoice } from '#server/services/billing/invoices/schema.ts';
import { NewTabHint } from '../../../components/new-tab-hint.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { useBillingWords } from '../use-billing-words.ts';
import { useMoney } from '../use-money.ts';

/**
 * Says why an unpaid invoice could not be charged and what helps; nothing for any other.
 * @param props.action another way to help, after the words
 */
export function PaymentProblem({ invoice, action }: { invoice: Invoice; action?: ReactNode }) {
  const { monthOf } = useBillingWords();
  const money = useMoney();
  if (invoice.payment_problem === null || invoice.status !== 'open') return null;
  const month = monthOf(invoice);
  const amount = money(invoice.amount_due_cents);
  return (
    <Alert
      color="red"
      icon={<IconCreditCardOff size={18} aria-hidden />}
      title={
        <Trans>
          The {month} invoice ({amount}) could not be charged
        </Trans>
      }
    >
      <Text size="sm">
        <ProblemWords problem={invoice.payment_problem} />{' '}
        {invoice.hosted_invoice_url !== null && (
          <Anchor
            href={invoice.hosted_invoice_url}
            target="_blank"
            rel="noreferrer"
            underline="always"
            inherit
          >
            <Trans>Pay it now</Trans>
            <NewTabHint />
          </Anchor>
        )}
        {action && <> · {action}</>}
      </Text>
    </Alert>
  );
}

/** Speaks of the person's own card only to those who may change it. */
function ProblemWords({ problem }: { problem: string }) {
  const { can } = useOrganization();
  const mayPay = can('billing.manage');
  switch (problem) {
    case 'declined':
      return mayPay ? (
        <Trans>Your card was declined. Choose or add another card and it will be charged right away.</Trans>
      ) : (
        <Trans>
          The card was declined. An owner can choose or add another, which will be charged right away.
        </Trans>
      );
    case 'authentication':
      return mayPay ? (
        <Trans>Your bank requires you to confirm this payment.</Trans>
      ) : (
        <Trans>The bank requires the owner of the card to confirm this payment.</Trans>
      );
    case 'no_payment_method':
      return mayPay ? (
        <Trans>There is no card to charge. Add one and it will be charged right away.</Trans>
      ) : (
        <Trans>There is no card to charge. An owner can add one, which will be charged right away.</Trans>
      );
    default:
      return <Trans>We will try again automatically in the coming days.</Trans>;
  }
}
