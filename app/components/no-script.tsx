import { Trans } from '@lingui/react/macro';

/** What people read whose browser runs no scripts. */
export function NoScript() {
  return (
    <noscript>
      <p className="no-script">
        <Trans>The console needs JavaScript. Allow it in your browser and reload the page.</Trans>
      </p>
    </noscript>
  );
}
