import type { BillingReadiness } from '#server/services/billing/rules.ts';

/** The steps of onboarding, in order. */
export const ONBOARDING_STEPS = ['welcome', 'billing', 'payment', 'complete'] as const;
export type OnboardingStep = (typeof ONBOARDING_STEPS)[number];

/** Parses a step in the address; anything else is the first one. */
export function stepParam(value: unknown): OnboardingStep | undefined {
  return ONBOARDING_STEPS.find((step) => step !== 'welcome' && step === value);
}

/** Returns the step that can be shown: a card needs a customer, and nothing is complete without a card. */
export function shownStep(
  asked: OnboardingStep | undefined,
  known: { readiness: BillingReadiness; hasCustomer: boolean },
): OnboardingStep {
  if (asked === 'complete') return known.readiness === 'ready' ? 'complete' : 'welcome';
  if (asked === 'payment' && !known.hasCustomer) return 'billing';
  return asked ?? 'welcome';
}
