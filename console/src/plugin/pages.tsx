// The pages that the plugin adds to the console.
import { useParams } from 'react-router';
import { CleanupPanel } from '../cleanup/CleanupPanel';
import { CopiesPage } from '../copies/CopiesPage';
import { OperatorPage } from '../operators/OperatorPage';
import { OperatorsPage } from '../operators/OperatorsPage';
import { ANY_NAMESPACE } from '../previews/asking';
import { AskPreviewPage } from '../previews/AskPreviewPage';
import { UninstallPage } from '../uninstall/UninstallPage';
import { inConsole } from './host';

const ALL = '#ALL_NS#';

export const operatorsPage = inConsole(({ namespace }: { namespace?: string }) => {
  const { ns } = useParams();
  const place = namespace ?? ns;
  return <OperatorsPage namespace={place === '' || place === ALL ? undefined : place} />;
});

export const operatorPage = inConsole(({ namespace, name }: { namespace?: string; name?: string }) => {
  const parameters = useParams();
  return <OperatorPage namespace={namespace ?? parameters.ns ?? ''} name={name ?? parameters.name ?? ''} cleanup={(place, of) => <CleanupPanel namespace={place} name={of} />} />;
});

export const uninstallPage = inConsole(() => {
  const { ns = '', name = '' } = useParams();
  return <UninstallPage key={`${ns}/${name}`} namespace={ns} name={name} />;
});

export const askPreviewPage = inConsole(({ namespace }: { namespace?: string }) => {
  const { ns } = useParams();
  const given = namespace || ns;
  const place = given && given !== ALL ? given : ANY_NAMESPACE;
  return <AskPreviewPage key={place} namespace={place} />;
});

export const copiesPage = inConsole(() => <CopiesPage />);
