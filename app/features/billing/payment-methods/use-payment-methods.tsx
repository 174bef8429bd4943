import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import type { Customer, PaymentMethod } from '#server/services/billing/schema.ts';
import { askConfirmation } from '../../../components/dialogs/confirm-host.tsx';
import { notifySuccess } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { brandName } from './brand-name.ts';

/** Returns actions that change the organization's cards, and the error of the last change. */
export function usePaymentMethods() {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const ofOrganization = { organization_id: organization.id };
  const utils = trpc.useUtils();
  const describe = useErrorMessage();
  const [failure, setFailure] = useState<string | null>(null);
  const [busyId, setBusyId] = useState<string | null>(null);
  const choose = trpc.billing.setDefaultPaymentMethod.useMutation();
  const remove = trpc.billing.removePaymentMethod.useMutation();

  /** Unpaid invoices are charged to a new default card immediately. */
  const refreshRest = () => {
    void utils.billing.status.invalidate(ofOrganization);
    void utils.billing.invoices.invalidate(ofOrganization);
  };
  const change = async (method: PaymentMethod, work: () => Promise<unknown>) => {
    setFailure(null);
    setBusyId(method.id);
    try {
      await work();
      refreshRest();
      return true;
    } catch (error) {
      setFailure(describe(error));
      void utils.billing.customer.invalidate(ofOrganization);
      return false;
    } finally {
      setBusyId(null);
    }
  };

  const setDefault = (method: PaymentMethod) =>
    change(method, async () => {
      const customer = await choose.mutateAsync({ ...ofOrganization, payment_method_id: method.id });
      utils.billing.customer.setData(ofOrganization, customer);
    });

  /** A card was added. The first becomes the default when there is none. */
  const completeAdding = (customer: Customer) => {
    const [first] = customer.payment_methods;
    if (first && customer.default_payment_method_id === null) void setDefault(first);
    refreshRest();
  };

  const askToRemove = async (method: PaymentMethod, isOnly: boolean) => {
    const brand = brandName(method.brand);
    const { last4 } = method;
    const isSure = await askConfirmation({
      title: t`Remove ${brand} ending in ${last4}?`,
      body: (
        <>
          <Trans>Are you sure you want to remove this payment method?</Trans>
          {isOnly && (
            <>
              {' '}
              <Trans>
                It is the only one: until you add another, you cannot create sites or endpoints. Existing ones
                continue to be served and billed.
              </Trans>
            </>
          )}
        </>
      ),
      confirm: t`Remove`,
      isDestructive: true,
    });
    if (!isSure) return;
    const isDone = await change(method, async () => {
      await remove.mutateAsync({ ...ofOrganization, payment_method_id: method.id });
      await utils.billing.customer.invalidate(ofOrganization);
    });
    if (isDone) notifySuccess(t`${brand} ending in ${last4} was removed`);
  };

  return { failure, busyId, setDefault, askToRemove, completeAdding };
}
