import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import { CardEntry } from '../payment-methods/card-entry.tsx';
import { OnboardingHead } from './onboarding-head.tsx';

/** Takes the card that is charged at the start of each month. */
export function OnboardingPayment(props: { organizationId: string; onBack: () => void; onDone: () => void }) {
  const { t } = useLingui();
  return (
    <Stack gap="lg">
      <OnboardingHead title={<Trans>Payment</Trans>}>
        <Trans>You won't be charged until you use services</Trans>
      </OnboardingHead>
      <CardEntry
        organizationId={props.organizationId}
        label={t`Payment card`}
        submitLabel={<Trans>Add Card</Trans>}
        aside={
          <Button variant="default" onClick={props.onBack}>
            <Trans>Back</Trans>
          </Button>
        }
        onAdded={props.onDone}
      />
    </Stack>
  );
}
