import { useLingui } from '@lingui/react/macro';

/** Returns a function that names where a deploy came from; tooling of others keeps its own name. */
export function useSourceName(): (source: string) => string {
  const { t } = useLingui();
  return (source) => {
    switch (source) {
      case 'console':
        return t`Deployed from the console`;
      case 'cli':
        return t`Deployed from the command line`;
      case 'api':
        return t`Deployed through the API`;
      case 'action':
        return t`Deployed by the git host`;
      default:
        return t`Deployed by ${source}`;
    }
  };
}
