import { Trans, useLingui } from '@lingui/react/macro';
import { Box, Button, Group, Skeleton, Stack } from '@mantine/core';
import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js';
import type { StripeElementsOptions } from '@stripe/stripe-js';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useMemo, useState } from 'react';
import type { BillingStatus, Customer } from '#server/services/billing/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { readError } from '../../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useSettings } from '../../../use-settings.ts';
import { SlowProviderNote } from '../slow-provider-note.tsx';
import { CardAttempts } from './card-attempts.ts';
import { loadPaymentProvider } from './load-stripe.ts';
import { useCardLook } from './use-card-look.ts';

/** The approximate height of a card form, so that nothing jumps when it arrives. */
const FORM_HEIGHT = 210;

interface CardEntryProps {
  organizationId: string;
  /** Names the form for assistive technology. */
  label: string;
  submitLabel: ReactNode;
  /** Shown at the start of the button's line, e.g. a back link. */
  aside?: ReactNode;
  /** Called when the card is the organization's. */
  onAdded: (customer: Customer) => void;
}

/**
 * Takes a card with the payment provider's form, so that its number never comes here; in the sandbox with its
 * stand-in. A refusal is shown in place, and what was typed stays.
 */
export function CardEntry(props: CardEntryProps) {
  const { i18n } = useLingui();
  const { billingMode } = useSettings();
  const provider = useQuery({
    queryKey: ['payment-provider', billingMode],
    queryFn: () => loadPaymentProvider(billingMode),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    retry: false,
  });
  const look = useCardLook();
  const { locale } = i18n;
  const options = useMemo<StripeElementsOptions>(
    () => ({
      mode: 'setup',
      currency: 'cad',
      setupFutureUsage: 'off_session',
      allowedPaymentMethodTypes: ['card'],
      locale: locale === 'fr-CA' ? 'fr-CA' : 'en',
      appearance: look ?? {},
    }),
    [locale, look],
  );
  const { data: stripe = null } = provider;
  return (
    <Elements key={stripe && look ? 'loaded' : 'loading'} stripe={look && stripe} options={options}>
      <CardForm {...props} loadError={provider.isError} onReload={provider.refetch} />
    </Elements>
  );
}

interface CardFormProps extends CardEntryProps {
  loadError: boolean;
  onReload: () => unknown;
}

function CardForm(props: CardFormProps) {
  const { t } = useLingui();
  const { organizationId } = props;
  const stripe = useStripe();
  const elements = useElements();
  const utils = trpc.useUtils();
  const describe = useErrorMessage();
  const createSetup = trpc.billing.createSetupIntent.useMutation();
  const add = trpc.billing.addPaymentMethod.useMutation();
  const [attempts] = useState(() => new CardAttempts());
  const [isReady, setReady] = useState(false);
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  const run = async (): Promise<string | null> => {
    if (!stripe || !elements) return t`Card element not found`;
    const of = { organization_id: organizationId };
    const outcome = await attempts.run({
      submit: () => elements.submit(),
      createSetup: async () => (await createSetup.mutateAsync(of)).client_secret,
      confirm: (clientSecret) =>
        stripe.confirmSetup({
          elements,
          clientSecret,
          confirmParams: { return_url: window.location.href },
          redirect: 'if_required',
        }),
      retrieve: (clientSecret) => stripe.retrieveSetupIntent(clientSecret),
      keep: (setup_intent_id) => add.mutateAsync({ ...of, setup_intent_id }),
    });
    switch (outcome.kind) {
      case 'incomplete':
        return null;
      case 'refused':
        return outcome.message ?? t`An error occurred`;
      case 'expired':
        return t`The card form had expired, so nothing was saved. Try again.`;
      case 'added':
        utils.billing.customer.setData(of, outcome.customer);
        utils.billing.status.setData(of, (known) => known && readyStatus(known, outcome.customer));
        void utils.billing.status.invalidate(of);
        props.onAdded(outcome.customer);
        return null;
    }
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    setProblem(null);
    setPending(true);
    try {
      setProblem(await run());
    } catch (error) {
      setProblem(readError(error) ? describe(error) : t`Failed to add payment method`);
    }
    setPending(false);
  };

  return (
    <form onSubmit={submit} noValidate aria-label={props.label}>
      <Stack gap="md">
        {props.loadError ? (
          <ErrorNotice onRetry={props.onReload}>
            <Trans>Failed to load payment configuration</Trans>
          </ErrorNotice>
        ) : (
          <Box mih={FORM_HEIGHT} pos="relative">
            {!isReady && <Skeleton height={FORM_HEIGHT} pos="absolute" inset={0} />}
            <PaymentElement
              options={PAYMENT_OPTIONS}
              onReady={() => setReady(true)}
              onLoadError={({ error }) =>
                setProblem(error.message ?? t`Failed to load payment configuration`)
              }
            />
          </Box>
        )}
        {problem !== null && <ErrorNotice>{problem}</ErrorNotice>}
        {/* Not while the card is confirmed: then the provider may be waiting for the person, in a window of its own. */}
        <SlowProviderNote isPending={createSetup.isPending || add.isPending} />
        <Group
          justify={props.aside ? 'space-between' : 'flex-start'}
          gap="sm"
          style={{ flexWrap: 'wrap-reverse' }}
        >
          {props.aside}
          <Button type="submit" loading={isPending}>
            {props.submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** With a default card the setup is done; the page need not wait for the next status. */
function readyStatus(status: BillingStatus, customer: Customer): BillingStatus {
  return customer.default_payment_method_id === null
    ? status
    : { ...status, readiness: 'ready', set_up_by: null };
}

/** The same object each time: the provider is notified of any new one. */
const PAYMENT_OPTIONS = {
  layout: 'tabs',
  wallets: { applePay: 'never', googlePay: 'never', link: 'never' },
  terms: { card: 'never' },
} as const;
