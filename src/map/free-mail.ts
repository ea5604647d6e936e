/**
 * Consumer e-mail providers: an address there does not identify a company. Any other host counts as a company's. The list
 * applies only to e-mail addresses, because some providers are also companies with signals (orange.fr).
 *
 * Source: the large providers of each country, completed from the public repository descope/go-free-email-providers. Its
 * list is not used as a whole, because it includes companies and cities (alibaba.com, telstra.com, berlin.de), and a wrong
 * entry discards a company's domain.
 */

/** Under any top-level domain: hotmail.co.uk, yahoo.com.br. */
const ANY_SUFFIX: ReadonlySet<string> = new Set(['fastmail', 'gmx', 'hotmail', 'outlook', 'posteo', 'yahoo']);

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
  live.at live.be live.cn live.co.za live.com.sg live.ie live.in live.jp live.ru msn.cn msn.nl duck.com hush.com
  runbox.com operamail.com openmailbox.org my.com safe-mail.net
  adelphia.net ameritech.net bell.net bresnan.net cableone.net centurytel.net compuserve.com cs.com embarqmail.com
  fuse.net hawaiiantel.net hughes.net mchsi.com mindspring.com netscape.net netzero.com pacbell.net peoplepc.com
  prodigy.net ptd.net q.com qwest.net rcn.com snet.net swbell.net tds.net
  eircom.net freeserve.co.uk freeuk.com lycos.co.uk talk21.com tiscali.co.uk
  caramail.com netcourrier.com freesurf.fr tiscali.be pandora.be
  email.it interfree.it katamail.com lycos.it supereva.it latinmail.com lycos.es teleline.es
  mail.pt oninet.pt portugalmail.pt telepac.pt
  casema.nl chello.nl online.nl quicknet.nl scarlet.nl tele2.nl telfort.nl
  elisanet.fi kolumbus.fi luukku.com suomi24.fi jubiimail.dk spray.se
  poczta.fm onet.eu sweb.cz post.sk mail.bg mail.ee pochta.ru bigmir.net
  188.com 21cn.com tom.com singnet.com.sg korea.com terra.cl terra.com.ar arnet.com.ar
  bigpond.com.au iinet.net.au iprimus.com.au ozemail.com.au clear.net.nz
  `
    .trim()
    .split(/\s+/u),
);

/** @param domain registrable, in lower-case ASCII */
export function isFreeMail(domain: string): boolean {
  const dot = domain.indexOf('.');
  return HOSTS.has(domain) || (dot > 0 && ANY_SUFFIX.has(domain.slice(0, dot)));
}
