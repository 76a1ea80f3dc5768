import { startLab } from "./harness.mjs";
import { reached } from "./widget.mjs";
const lab = await startLab();
const shots = [
 ["rest-320","/?p=8&t=9",320,568],["rest-768","/?p=8&t=9",768,900],["rest-1280","/?p=8&t=9",1280,900],
 ["more-1280","/?p=8&t=9&capacity=40",1280,900,"more"],["more-320","/?p=8&t=9",320,568,"more"],["more-768","/?p=8&t=9",768,900,"more"],
 ["proj-1920","/?p=8&t=20&theme=projector",1920,1080],["proj-320","/?p=8&t=20&theme=projector",320,568],
 ["poison-768","/?p=5&c=2&workers=3&t=9",768,900,"poison"],["poison-1280","/?p=5&c=2&workers=3&t=9",1280,900,"poison"],
 ["locked-1280","/?p=8&t=9&lock=p,reset&hide=share",1280,900],
];
const only = process.argv[2];
for (const [name,q,w,h,act] of shots) {
  if (only && !name.match(only)) continue;
  const { page, log } = await lab.open(q,{width:w,height:h});
  const at = /\bt=(\d+)/.exec(q); if (at) await reached(page, Number(at[1]));
  if (act==="more") { await page.getByRole("button",{name:/^(More dials|Dials)$/}).click(); }
  if (act==="poison") { await page.getByRole("button",{name:/^Poison/}).click(); for (let i=0;i<4;i++) await page.evaluate(()=>document.querySelector("queue-lab").step()); await page.waitForTimeout(300);}
  await page.screenshot({path:`/tmp/dials-shots/${name}.png`,fullPage:true});
  if (log.console.length||log.pageErrors.length) console.log(name,log.console,log.pageErrors);
  await lab.closePages();
}
await lab.close();
