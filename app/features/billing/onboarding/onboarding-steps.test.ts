import { describe, expect, it } from 'vitest';
import { shownStep, stepParam } from './onboarding-steps.ts';

describe('the step of onboarding', () => {
  it('is read from the address, and is the first one without it', () => {
    expect(['billing', 'payment', 'complete'].map(stepParam)).toEqual(['billing', 'payment', 'complete']);
    expect([undefined, 'welcome', 'card', 1].map(stepParam)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('goes no further than the existing customer and card allow', () => {
    expect(shownStep(undefined, { readiness: 'no_customer', hasCustomer: false })).toBe('welcome');
    expect(shownStep('payment', { readiness: 'no_customer', hasCustomer: false })).toBe('billing');
    expect(shownStep('payment', { readiness: 'no_payment_method', hasCustomer: true })).toBe('payment');
    expect(shownStep('payment', { readiness: 'grace', hasCustomer: true })).toBe('payment');
    expect(shownStep('complete', { readiness: 'no_payment_method', hasCustomer: true })).toBe('welcome');
    expect(shownStep('complete', { readiness: 'ready', hasCustomer: true })).toBe('complete');
  });
});
