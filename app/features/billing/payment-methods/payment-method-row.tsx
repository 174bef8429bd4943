import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconCreditCard } from '@tabler/icons-react';
import type { PaymentMethod } from '#server/services/billing/schema.ts';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { RowBadge } from '../../../components/lists/row-badge.tsx';
import classes from '../managed-rows.module.css';
import { brandName } from './brand-name.ts';
import { expiryOf, isExpired } from './card-expiry.ts';
import type { usePaymentMethods } from './use-payment-methods.tsx';

/** One card with its actions. */
export function PaymentMethodRow(props: {
  method: PaymentMethod;
  isDefault: boolean;
  isOnly: boolean;
  reason: string | null;
  methods: ReturnType<typeof usePaymentMethods>;
}) {
  const { t } = useLingui();
  const { method, isDefault, isOnly, reason, methods } = props;
  const brand = brandName(method.brand);
  const { last4 } = method;
  const expiry = expiryOf(method);
  const isGone = isExpired(method, Date.now());
  return (
    <li className={`${classes.row} ${classes.head}`}>
      <IconCreditCard size={22} stroke={1.5} aria-hidden className={classes.icon} />
      <div className={classes.words}>
        <div className={classes.name}>
          <span>
            <Trans>
              {brand} ending in {last4}
            </Trans>
          </span>
          {isDefault && (
            <RowBadge colour="green">
              <Trans context="card">Default</Trans>
            </RowBadge>
          )}
        </div>
        <div className={classes.note} data-alarming={isGone || undefined}>
          {isGone ? <Trans>Expired {expiry}</Trans> : <Trans>Expires {expiry}</Trans>}
        </div>
      </div>
      <div className={classes.actions}>
        {!isDefault && (
          <ReasonedAction reason={reason} onAct={() => void methods.setDefault(method)}>
            {(action) => (
              <Button
                variant="subtle"
                size="xs"
                loading={methods.busyId === method.id}
                aria-label={t`Set as default: ${brand} ending in ${last4}`}
                {...action}
              >
                <Trans>Set as default</Trans>
              </Button>
            )}
          </ReasonedAction>
        )}
        <ReasonedAction reason={reason} onAct={() => void methods.askToRemove(method, isOnly)}>
          {(action) => (
            <Button
              variant="subtle"
              color="red"
              size="xs"
              aria-label={t`Remove: ${brand} ending in ${last4}`}
              {...action}
            >
              <Trans>Remove</Trans>
            </Button>
          )}
        </ReasonedAction>
      </div>
    </li>
  );
}
