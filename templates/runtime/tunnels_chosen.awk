$1 == "others" { others[$2] = 1 }
$1 == "at" { there[$2] = 1; port[$2] = $5 }
$1 != "wanted" { next }
!($2 in there) { print "- " $2 " it is not there"; next }
why != "" { print "- " $2 " " why; next }
$2 in others { print "- " $2 " others have filters at its ingress or egress"; next }
port[$2] + 0 == 0 { print "- " $2 " it listens at no port of WireGuard"; next }
{ print "+ " $2 ":" port[$2] ":" $3 }
