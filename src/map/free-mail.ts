/**
 * Hosts where anybody may have a mailbox: an address there says nothing about a company.
 *
 * Source: written for this program from general knowledge of the large providers, country by country. The names of
 * Google, Microsoft, Yahoo, AOL and Apple, and comcast.net and rr.com, were seen in an overview at suped.com ("What
 * are the main domain names used by large free email providers and ISPs?"), those of Mail.ru and Yandex in the
 * glossary of uchecker.net. The others were checked against no published list. It is not complete: what is not here is
 * taken for a company's.
 *
 * Some of them are also the domain of a company that people write about (orange.fr), which is why only an e-mail
 * address is judged by this list, and a web address is not.
 */

/** Under whatever top-level domain: hotmail.co.uk, yahoo.com.br. */
const FAMILIES: ReadonlySet<string> = new Set(['gmx', 'hotmail', 'outlook', 'yahoo']);

const HOSTS: ReadonlySet<string> = new Set(
  `
  gmail.com googlemail.com
  live.com live.ca live.cl live.co.uk live.com.ar live.com.au live.com.mx live.com.pt live.de live.dk live.fr
  live.it live.nl live.no live.se msn.com passport.com windowslive.com
  ymail.com rocketmail.com myyahoo.com aol.com aol.co.uk aol.de aol.fr aim.com verizon.net
  icloud.com me.com mac.com
  proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tuta.io tuta.com tutamail.com
  zoho.com zohomail.com zohomail.eu fastmail.com fastmail.fm hushmail.com mailfence.com startmail.com hey.com
  mail.com email.com usa.com europe.com consultant.com engineer.com inbox.com lycos.com excite.com juno.com
  netzero.net
  comcast.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net optonline.net roadrunner.com
  rr.com windstream.net frontier.com frontiernet.net centurylink.net shaw.ca rogers.com sympatico.ca telus.net
  videotron.ca
  btinternet.com btopenworld.com sky.com talktalk.net virginmedia.com blueyonder.co.uk ntlworld.com
  web.de t-online.de freenet.de arcor.de online.de email.de mail.de posteo.de posteo.net mailbox.org
  bluewin.ch hispeed.ch aon.at chello.at
  orange.fr wanadoo.fr free.fr laposte.net sfr.fr neuf.fr bbox.fr numericable.fr
  libero.it virgilio.it tiscali.it alice.it tin.it tim.it inwind.it iol.it
  telefonica.net terra.es ono.com
  sapo.pt iol.pt
  ziggo.nl kpnmail.nl planet.nl hetnet.nl home.nl xs4all.nl upcmail.nl
  telenet.be skynet.be proximus.be
  telia.com bredband.net online.no mail.dk
  wp.pl o2.pl onet.pl interia.pl op.pl gazeta.pl
  seznam.cz email.cz centrum.cz post.cz atlas.cz centrum.sk azet.sk
  freemail.hu citromail.hu abv.bg ukr.net i.ua
  mail.ru bk.ru list.ru inbox.ru internet.ru rambler.ru yandex.ru yandex.com yandex.by yandex.kz ya.ru
  uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com
  rediffmail.com sify.com indiatimes.com
  qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com aliyun.com 139.com 189.cn
  naver.com daum.net hanmail.net kakao.com nate.com
  docomo.ne.jp ezweb.ne.jp softbank.ne.jp nifty.com
  bigpond.com bigpond.net.au optusnet.com.au xtra.co.nz
  walla.co.il walla.com mweb.co.za
  `
    .trim()
    .split(/\s+/u),
);

/** @param domain registrable, in lower case and in ASCII. */
export function isFreeMail(domain: string): boolean {
  const dot = domain.indexOf('.');
  return HOSTS.has(domain) || (dot > 0 && FAMILIES.has(domain.slice(0, dot)));
}
