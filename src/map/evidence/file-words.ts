/** Words in the names of files: weak evidence, because anybody can name a file. */
import { headerOf, phraseMatcher } from './header-phrases.ts';
import type { Verdict } from './kinds.ts';

const FILES: Readonly<Record<Verdict, string>> = {
  signals:
    'companies,company,startup*,funding*,investment*,job*,news,review*,signals,signal,intent,acquisition*,layoff*,tender*,technolog*,unternehmen*,firmen,stellen*,entreprises,emplois,empresas,empleos,aziende,vagas,bedrijven,vacatures,firmy,oferty,企業*,求人*,公司,企业,채용,기업',
  social:
    'tweet*,comment*,like*,likers,reaction*,retweet*,mention*,engager*,engagement*,commenter*,kommentare,commentaires,comentarios,commenti,komentarze,コメント,评论,댓글',
  neither:
    'invoice*,order*,ticket*,call*,contact*,inventory,stock,survey*,campaign*,analytics,pageviews,traffic,payroll,meeting*,transaction*,rechnung*,bestell*,factur*,fattur*,faktur*,請求*,注文*',
};

/** The verdict that the last part of the name suggests; undefined if it suggests none, or several. */
export function fileEvidence(file: string): Verdict | undefined {
  const base = file.split(/[/\\:]/u).at(-1) ?? '';
  const name = headerOf(base.replace(/(?:\.[a-z]{2,7}){1,2}$/iu, ''));
  const found = (['signals', 'social', 'neither'] as const).filter((verdict) => phraseMatcher(FILES[verdict])(name));
  return found.length === 1 ? found[0] : undefined;
}
