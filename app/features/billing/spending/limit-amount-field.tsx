import { Trans, useLingui } from '@lingui/react/macro';
import { NumberInput } from '@mantine/core';
import type { ClipboardEvent } from 'react';
import { LIMIT_CENTS_MAX, type LimitScope } from '#server/services/billing/spending/limit-rules.ts';
import { readAmount } from './parse-amount.ts';

/** The amount of a limit in dollars, typed or pasted in either language. */
export function LimitAmountField(props: {
  /** As the input has it: '' while it is empty, a text while it is no number yet. */
  value: number | string;
  onChange: (value: number | string) => void;
  scope: LimitScope;
  isWrong: boolean;
}) {
  const { t, i18n } = useLingui();
  const isFrench = i18n.locale === 'fr-CA';
  // The field takes a comma of another language for one between thousands.
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    const isWhole = selectionStart === 0 && selectionEnd === value.length;
    const dollars = readAmount(event.clipboardData.getData('text'));
    if ((value !== '' && !isWhole) || dollars === null) return;
    event.preventDefault();
    props.onChange(dollars);
  };
  return (
    <NumberInput
      label={t`Limit for a month (CAD)`}
      description={
        props.scope === 'organization' ? (
          <Trans>Taxes included. Months are in UTC.</Trans>
        ) : (
          <Trans>Before taxes: the resource itself and its traffic. Months are in UTC.</Trans>
        )
      }
      required
      hideControls
      min={0}
      max={LIMIT_CENTS_MAX / 100}
      decimalScale={2}
      fixedDecimalScale
      decimalSeparator={isFrench ? ',' : '.'}
      allowedDecimalSeparators={['.', ',']}
      thousandSeparator={isFrench ? '\u00a0' : ','}
      prefix={isFrench ? undefined : '$'}
      suffix={isFrench ? '\u00a0$' : undefined}
      value={props.value}
      onChange={props.onChange}
      onPaste={paste}
      error={props.isWrong ? t`Enter an amount of up to a million dollars.` : null}
      data-autofocus
    />
  );
}
