import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { Progress } from '@mantine/core';
import classes from './onboarding-progress.module.css';
import { ONBOARDING_STEPS, type OnboardingStep } from './onboarding-steps.ts';

const WORDS: Record<OnboardingStep, MessageDescriptor> = {
  welcome: msg({ message: 'Welcome', context: 'step' }),
  billing: msg({ message: 'Billing', context: 'step' }),
  payment: msg({ message: 'Payment', context: 'step' }),
  complete: msg({ message: 'Complete', context: 'step' }),
};

/** How far onboarding is: a bar, and its four steps. */
export function OnboardingProgress({ step }: { step: OnboardingStep }) {
  const { t, i18n } = useLingui();
  const at = ONBOARDING_STEPS.indexOf(step);
  const count = ONBOARDING_STEPS.length;
  const number = at + 1;
  return (
    <nav aria-label={t`Steps`} className={classes.steps}>
      <Progress.Root size={6}>
        <Progress.Section
          withAria={false}
          value={(number / count) * 100}
          role="progressbar"
          aria-label={t`Progress`}
          aria-valuemin={1}
          aria-valuemax={count}
          aria-valuenow={number}
          aria-valuetext={t`Step ${number} of ${count}`}
        />
      </Progress.Root>
      <ol className={classes.list}>
        {ONBOARDING_STEPS.map((each, index) => (
          <li
            key={each}
            className={classes.step}
            data-state={index < at ? 'done' : index === at ? 'current' : 'ahead'}
            aria-current={index === at ? 'step' : undefined}
          >
            {i18n._(WORDS[each])}
          </li>
        ))}
      </ol>
    </nav>
  );
}
