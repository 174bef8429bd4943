import { Trans } from '@lingui/react/macro';
import { Anchor, Card } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { useSettings } from '../../../use-settings.ts';
import { EntryScreen } from '../../sign-in/entry-screen.tsx';
import { RegisterForm } from '../accounts/register-form.tsx';
import { PasskeySignIn } from '../passkeys/passkey-sign-in.tsx';
import { SecondStepForm } from '../second-factor/second-step-form.tsx';
import { AwaitedConfirmation, ClosedRegistration, ExpiredInteraction } from './interaction-notices.tsx';
import { interactionQuery } from './interaction-query.ts';
import { SignInForm } from './sign-in-form.tsx';

/**
 * Signs in or registers at the embedded identity service. The address says which of the two is shown;
 * otherwise, the purpose of the visit decides.
 */
export function InteractionScreen(props: {
  uid: string;
  isRegistration: boolean | undefined;
  /** The address that the person entered before; empty without one. */
  email: string;
  onSwitch: (isRegistration: boolean) => void;
}) {
  const { productName, links, canUsePasskeys } = useSettings();
  const [awaiting, setAwaiting] = useState<string | null>(null);
  const signIn = () => {
    setAwaiting(null);
    props.onSwitch(false);
  };
  const [isSecondStep, setSecondStep] = useState(false);
  const [hasExpired, setExpired] = useState(false);
  const describe = useErrorMessage();
  const details = useQuery(interactionQuery(props.uid));
  if (hasExpired || details.data === null) return <ExpiredInteraction />;

  if (awaiting !== null) return <AwaitedConfirmation email={awaiting} onSignIn={signIn} />;

  if (isSecondStep) {
    return (
      <EntryScreen
        hasShowcase
        title={<Trans>Two-step sign-in</Trans>}
        aside={
          <SwitchButton onClick={() => setSecondStep(false)}>
            <Trans>Sign in with another account</Trans>
          </SwitchButton>
        }
      >
        <Card>
          <SecondStepForm uid={props.uid} onExpired={() => setExpired(true)} />
        </Card>
      </EntryScreen>
    );
  }

  const isRegistration = props.isRegistration ?? details.data?.prompt === 'create';
  const terms = details.data?.registration;
  // Where they could not be read, the general rule applies: an invitation can only allow more.
  const canRegister = terms?.is_possible ?? links.signUp !== null;
  if (isRegistration && !canRegister) {
    if (terms) return <ClosedRegistration onSignIn={signIn} />;
    // Only an invitation would open it: neither is said before that is known.
    return (
      <EntryScreen hasShowcase title={productName}>
        <Card mih="20rem" aria-busy={details.isFetching}>
          {details.isError && details.isFetchedAfterMount && (
            <ErrorNotice onRetry={details.refetch}>{describe(details.error)}</ErrorNotice>
          )}
        </Card>
      </EntryScreen>
    );
  }
  return (
    <EntryScreen
      hasShowcase
      title={isRegistration ? <Trans>Create your account</Trans> : <Trans>Sign in to {productName}</Trans>}
      subtitle={
        isRegistration ? (
          <Trans>You get a personal workspace, ready to host your first site.</Trans>
        ) : (
          <Trans>Use the email address of your account.</Trans>
        )
      }
      aside={
        isRegistration ? (
          <Trans>
            Already have an account?{' '}
            <SwitchButton onClick={() => props.onSwitch(false)}>Sign in</SwitchButton>
          </Trans>
        ) : canRegister ? (
          <Trans>
            New here? <SwitchButton onClick={() => props.onSwitch(true)}>Create an account</SwitchButton>
          </Trans>
        ) : (
          <Trans>New here? Ask the operator of {productName} for an account.</Trans>
        )
      }
    >
      <Card>
        {isRegistration ? (
          <RegisterForm
            {...{ uid: props.uid, email: props.email, terms }}
            onExpired={() => setExpired(true)}
            onAwaiting={setAwaiting}
          />
        ) : (
          <>
            <SignInForm
              {...{ uid: props.uid, email: props.email }}
              onExpired={() => setExpired(true)}
              onSecondStep={() => setSecondStep(true)}
            />
            {canUsePasskeys && <PasskeySignIn uid={props.uid} onExpired={() => setExpired(true)} />}
          </>
        )}
      </Card>
    </EntryScreen>
  );
}

function SwitchButton(props: { onClick: () => void; children?: React.ReactNode }) {
  return (
    <Anchor component="button" type="button" underline="always" onClick={props.onClick}>
      {props.children}
    </Anchor>
  );
}
