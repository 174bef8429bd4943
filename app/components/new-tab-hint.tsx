import { Trans } from '@lingui/react/macro';

/** Says to assistive technology what the arrow of a link shows. */
export function NewTabHint() {
  return (
    <span className="visually-hidden">
      {' '}
      <Trans>(opens in a new tab)</Trans>
    </span>
  );
}
