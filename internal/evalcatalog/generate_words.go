package evalcatalog

import "strings"

// domain is what a generated server is about.
type domain struct {
	name, place string
	objects     []string
	fields      []parameter
}

// domains are written in short form: name, place, objects, and fields as
// name:type:description, where a type of a|b|c is an enum.
func domains() []domain {
	short := []string{
		"mail;mailbox;message,folder,draft,filter,label,signature;subject:string:Subject line.,recipient:string:Address of who gets it.,importance:low|normal|high:How pressing it is.,has_attachment:boolean:Only with or without files.,size:integer:Kilobytes.",
		"diary;calendar;event,invitation,room,reminder,shift,holiday;title:string:Short title.,starts:date:When it begins.,location:string:Address or room.,visibility:public|private|busy_only:Who sees the details.,minutes:integer:How long.",
		"talk;workspace;channel,post,thread,member,reaction,call;text:string:What to say.,topic:string:What it is about.,audience:everyone|members|owners:Who may read it.,pinned:boolean:Keep it on top.,emoji:string:Name without colons.",
		"desk;help desk;ticket,customer,macro,queue,survey,article;title:string:One sentence.,priority:low|normal|high|urgent:How soon it is needed.,product:string:What it is about.,channel:mail|phone|chat|web:How it came in.,due:date:By when.",
		"sales;sales book;lead,deal,account,quote,territory,forecast;name:string:Name as shown.,stage:new|qualified|offer|won|lost:Where it stands.,amount:number:Expected sum.,close_date:date:Likely day.,region:string:Sales region.",
		"code;code host;repository,branch,pull request,release,review,webhook;name:string:Name.,branch:string:Branch name.,state:open|merged|closed:State.,draft:boolean:Not ready yet.,language:string:Programming language.",
		"build;build farm;pipeline,run,artifact,agent,secret,environment;branch:string:What to build.,status:queued|running|passed|failed:State.,commit:string:Commit hash.,timeout:integer:Minutes.,label:string:Kind of machine.",
		"base;database;table,view,index,migration,backup,user;name:string:Name without the schema.,schema_name:string:Schema.,rows:integer:About how many.,engine:postgres|mysql|sqlite|columnar:Kind of database.,comment:string:What it is for.",
		"drive;drive;file,directory,link,version,comment,template;name:string:Name with its ending.,kind:document|sheet|slides|image|other:Type.,parent:string:Folder it lies in.,starred:boolean:Marked as favourite.,bytes:integer:Size.",
		"wiki;knowledge base;page,space,attachment,template,glossary entry,decision;title:string:Title of the page.,body:string:Content as Markdown.,label:string:One label.,status:draft|published|outdated:State.,parent:string:Page above.",
		"watch;monitoring;alert,dashboard,metric,probe,silence,budget;name:string:Name.,service:string:Service it belongs to.,severity:info|warning|critical:How bad.,threshold:number:Limit.,window:integer:Minutes.",
		"bell;on-call rota;incident,schedule,override,escalation,timeline entry,runbook;title:string:What is broken for whom.,severity:sev1|sev2|sev3:How bad.,service:string:What is affected.,team:string:Who looks after it.,started:date:Since when.",
		"pay;payment account;payment,refund,subscription,dispute,payout,coupon;amount:number:Sum.,currency:string:ISO 4217.,state:pending|paid|failed|refunded:State.,reference:string:Own reference.,due:date:When it must be paid.",
		"bill;ledger;invoice,expense,client,credit note,estimate,tax report;client:string:Who it goes to.,total:number:Sum with tax.,due:date:When it must be paid.,state:draft|sent|paid|overdue:State.,currency:string:ISO 4217.",
		"staff;personnel file;employee,absence,contract,candidate,training,payslip;name:string:Full name.,department:string:Department.,starts:date:First day.,kind:permanent|temporary|intern:Kind of contract.,hours:number:Hours a week.",
		"parcel;shipping desk;shipment,label,pickup,return,claim,carrier;recipient:string:Who gets it.,weight:integer:Grams.,service:economy|standard|express:How fast.,postal_code:string:Where to.,value:number:Declared value.",
		"sky;weather archive;observation,forecast,station,warning,radar frame,season;place:string:Town or coordinates.,day:date:Which day.,unit:metric|imperial:Units.,parameter:string:What was measured.,height:integer:Metres.",
		"map;atlas;place,route,layer,marker,area,address;name:string:Name of the place.,latitude:number:Degrees.,longitude:number:Degrees.,mode:car|bicycle|foot|transit:How to travel.,radius:integer:Metres.",
		"trip;travel desk;flight,hotel,train,booking,visa,expense claim;destination:string:Where to.,depart:date:When to leave.,travellers:integer:How many.,class:economy|business|first:Comfort.,flexible:boolean:May be changed.",
		"word;translation studio;translation,glossary,document,term,style guide,transcript;text:string:The text.,target:string:Language to translate into.,formality:default|formal|familiar:Form of address.,domain:string:Subject matter.,deadline:date:By when.",
		"pixel;picture studio;image,album,template,palette,video,caption;prompt:string:What is to be seen.,width:integer:Pixels.,style:photo|drawing|poster|icon:Look.,alt:string:Description in words.,transparent:boolean:No background.",
		"cluster;cluster;pod,deployment,node,volume,ingress,quota;name:string:Name of the object.,namespace:string:Namespace.,phase:pending|running|failed:State.,image:string:Container image.,replicas:integer:How many.",
		"home;house;lamp,thermostat,lock,camera,scene,automation;room:string:Room name.,state:on|off|auto:Wanted state.,level:integer:Percent.,until:date:When it ends.,colour:string:Name or hex.",
		"bank;bank;account,transfer,card,standing order,payee,statement;iban:string:Account number.,amount:number:Sum in euro.,purpose:string:Text for the recipient.,day:date:When to carry it out.,kind:instant|normal|urgent:How fast.",
		"shop;web shop;product,order,cart,category,discount,stock level;name:string:Name shown to buyers.,price:number:Gross price.,state:draft|online|sold_out:State.,sku:string:Article number.,stock:integer:Pieces.",
		"plant;production line;machine,work order,batch,inspection,spare part,shift report;name:string:Name.,line:string:Production line.,state:idle|running|stopped:State.,quantity:integer:Pieces.,due:date:By when.",
		"law;case file;contract,case,clause,deadline,party,filing;title:string:Title.,court:string:Court or authority.,state:open|pending|closed:State.,due:date:Day it must be done.,value:number:Amount in dispute.",
		"clinic;practice;appointment,patient record,prescription,referral,lab result,bill;name:string:Name of the person.,day:date:Which day.,state:planned|done|cancelled:State.,room:string:Room.,insurer:string:Who pays.",
		"learn;school;course,lesson,student,exam,grade,certificate;title:string:Title.,subject:string:Subject.,level:beginner|middle|advanced:Level.,starts:date:First day.,seats:integer:Places.",
		"farm;farm book;field,crop,animal,harvest,tractor,sensor;name:string:Name.,area:number:Hectares.,kind:grain|vegetable|fruit|pasture:Kind.,sown:date:When.,yield:number:Tonnes.",
	}
	out := make([]domain, 0, len(short))
	for _, line := range short {
		parts := strings.SplitN(line, ";", 4)
		out = append(out, domain{name: parts[0], place: parts[1], objects: strings.Split(parts[2], ","), fields: fieldsOf(parts[3])})
	}
	return out
}

func fieldsOf(short string) []parameter {
	var out []parameter
	for _, field := range strings.Split(short, ",") {
		parts := strings.SplitN(field, ":", 3)
		schema := `{"type":"` + parts[1] + `","description":"` + parts[2] + `"}`
		if parts[1] == "date" {
			schema = `{"type":"string","format":"date","description":"` + parts[2] + `"}`
		}
		if strings.Contains(parts[1], "|") {
			schema = `{"type":"string","enum":["` + strings.ReplaceAll(parts[1], "|", `","`) + `"],"description":"` + parts[2] + `"}`
		}
		out = append(out, parameter{parts[0], schema})
	}
	return out
}

func brandWords() []string {
	return strings.Fields("amber birch cedar dune ember fjord glade heron inlet juniper kelp linden moss nettle osprey pine quartz reed slate thistle umber vale willow yarrow zephyr")
}

// noteSentences are things real descriptions go on to say; %s is the object.
func noteSentences() []string {
	return []string{
		"Returns at most 200 entries; use the cursor for more.",
		"The caller needs the permission to see the %s, otherwise the answer is the same as if it weren't there.",
		"Times are in UTC unless an offset is given.",
		"Nothing is sent to people outside the organisation.",
		"If you only know part of the name, search for the %s first and use the id from there.",
		"The answer has the id, a link that opens it in the web client, and the fields that were set by default.",
		"Long texts are cut at 20,000 characters, with a note at the end that says how much is missing.",
		"Repeating the call with the same arguments has no further effect.",
		"Changes show up in lists within a few seconds.",
		"Show the user what will be done before calling this.",
		"A %s that is locked by somebody else can't be changed until they let go of it; the error names the person.",
		"Deleted entries are kept for 30 days and can be brought back in the web interface.",
		"Use the filter instead of fetching everything: large answers are slow and rarely read to the end.",
		"Fields that the caller may not read are missing rather than empty.",
		"Rate limited to 60 calls a minute for each caller.",
		"Names are compared without regard to case and accents.",
		"Sums are given in the smallest unit of the currency.",
		"Works only while the %s is open; closed ones have to be opened again first.",
		"Followers of the %s get a notification unless that is switched off.",
		"Every call is written to the audit log together with the caller.",
		"An unknown field is an error and nothing is changed.",
		"For more than a hundred at once use the import instead.",
		"Figures of the last hour may still change.",
	}
}
