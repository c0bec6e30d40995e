{{/* SPDX-License-Identifier: Apache-2.0 */}}

{{/* Fails with one line where values contradict each other, or the pods would refuse them: what the schema cannot say. */}}
{{- define "coxswain.checks" -}}
{{- include "coxswain.checkReplicas" . -}}
{{- include "coxswain.checkOwned" . -}}
{{- include "coxswain.checkPorts" . -}}
{{- include "coxswain.checkAccess" . -}}
{{- include "coxswain.checkLimits" . -}}
{{- include "coxswain.checkTimes" . -}}
{{- include "coxswain.checkPod" . -}}
{{- if and .Values.webhooks.enabled (empty .Values.webhooks.controllers) (empty .Values.webhooks.definitions) (not .Values.webhooks.callbacks) -}}
{{- fail "webhooks.enabled needs webhooks.controllers or webhooks.definitions: without rights for them the pods do not become ready; for callbacks alone set webhooks.callbacks" -}}
{{- end -}}
{{- end -}}

{{/* There is a Lease for each pod that runs at a time. */}}
{{- define "coxswain.checkReplicas" -}}
{{- if and .Values.sharedLimiter.enabled (gt (int .Values.maxReplicas) 100) -}}
{{- fail (printf "maxReplicas (%d) can be at most 100 with sharedLimiter.enabled" (int .Values.maxReplicas)) -}}
{{- end -}}
{{- $rolling := .Values.strategy.rollingUpdate | default dict -}}
{{- if ne .Values.strategy.type "Recreate" -}}
{{- $surge := toString (dig "maxSurge" "25%" $rolling) -}}
{{- if and (has $surge (list "0" "0%")) (has (toString (dig "maxUnavailable" "25%" $rolling)) (list "0" "0%")) -}}
{{- fail "strategy.rollingUpdate: maxSurge and maxUnavailable are both 0, so no pod could be replaced" -}}
{{- end -}}
{{- if not (kindIs "invalid" .Values.replicas) -}}
{{- $extra := int $surge -}}
{{- if hasSuffix "%" $surge -}}
{{- $extra = div (add (mul (int .Values.replicas) (int (trimSuffix "%" $surge))) 99) 100 -}}
{{- end -}}
{{- if gt (add (int .Values.replicas) $extra) (int64 .Values.maxReplicas) -}}
{{- fail (printf "maxReplicas (%d) must be larger than replicas (%d): a roll-out adds pods, here %d" (int .Values.maxReplicas) (int .Values.replicas) (int $extra)) -}}
{{- end -}}
{{- end -}}
{{- else if and (not (kindIs "invalid" .Values.replicas)) (gt (int .Values.replicas) (int .Values.maxReplicas)) -}}
{{- fail (printf "maxReplicas (%d) must not be smaller than replicas (%d): each has a Lease" (int .Values.maxReplicas) (int .Values.replicas)) -}}
{{- end -}}
{{- end -}}

{{/* Keys of the configuration on which other objects of the chart depend have a value of their own, or none. */}}
{{- define "coxswain.checkOwned" -}}
{{- $config := .Values.config | default dict -}}
{{- $owned := dict
  "replicaName" "it is the name of the pod"
  "drainLimit" "set drainSeconds, which the grace period of the pods follows"
  "membership.name" "set fullnameOverride, which the Roles follow"
  "membership.namespace" "it is the namespace of the release, where the Roles are"
  "membership.host" "it is the address of the pod"
  "membership.maxReplicas" "set maxReplicas, which the Roles follow"
  "kubernetes.watchNamespaces" "set watchNamespaces, which the Roles follow"
  "kubernetes.watchNamespaceSelector" "set watchNamespaceSelector, which the ClusterRoles follow"
  "changes.history.name" "it is a ConfigMap of the chart, as in the Role"
  "changes.history.namespace" "it is the namespace of the release, where the Role is"
  "changes.events.deployment" "it is the Deployment of the chart, as in the Role"
  "changes.pauses.name" "it is a ConfigMap of the chart, as in the Role"
  "changes.pauses.namespace" "it is the namespace of the release, where the Role is"
  "sharedLimiter.enabled" "set sharedLimiter.enabled, which Service and NetworkPolicy follow"
-}}
{{- range $path, $instead := $owned -}}
{{- $at := $config -}}
{{- range splitList "." $path -}}
{{- $at = ternary (get (ternary $at dict (kindIs "map" $at)) .) "" (kindIs "map" $at) -}}
{{- end -}}
{{- if not (has (toString $at) (list "" "<nil>")) -}}
{{- fail (printf "config.%s does not belong there: %s" $path $instead) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.watchNamespaces .Values.watchNamespaceSelector -}}
{{- fail "set either watchNamespaces or watchNamespaceSelector, not both" -}}
{{- end -}}
{{- $wild := list "" "0.0.0.0" "::" -}}
{{- range ternary (list "metrics" "health" "webhooks") (list "metrics" "health") .Values.webhooks.enabled -}}
{{- $host := dig . "host" "" $config | default "" -}}
{{- if not (has $host $wild) -}}
{{- fail (printf "config.%s.host (%s) is not reached from outside of the pod: leave it out, or set it to \"::\"" . $host) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Services, probes and policies follow the ports of the configuration, which are different ones. */}}
{{- define "coxswain.checkPorts" -}}
{{- $seen := dict -}}
{{- range $section, $number := include "coxswain.ports" . | fromJson -}}
{{- $port := toString $number -}}
{{- if eq $port "0" -}}
{{- fail (printf "config.%s.port is 0, so each pod would take another port, which no Service follows: set one" $section) -}}
{{- end -}}
{{- if hasKey $seen $port -}}
{{- fail (printf "config.%s.port is %s, which is the port of %s as well: set another one" $section $port (get $seen $port)) -}}
{{- end -}}
{{- $_ := set $seen $port $section -}}
{{- end -}}
{{- end -}}

{{/* What is served to others has TLS and authentication. */}}
{{- define "coxswain.checkAccess" -}}
{{- $config := include "coxswain.config" . | fromYaml -}}
{{- range list "admin" "metrics" "webhooks" -}}
{{- $tls := dig . "tls" dict $config | default dict -}}
{{- if ne (empty $tls.certificate) (empty $tls.key) -}}
{{- fail (printf "config.%s.tls needs both: certificate and key" .) -}}
{{- end -}}
{{- end -}}
{{- $mode := dig "admin" "auth" "mode" "" $config | default "kubernetes" -}}
{{- $file := dig "admin" "auth" "tokenFile" "" $config | default "" -}}
{{- if and (eq $mode "tokenFile") (not $file) -}}
{{- fail "config.admin.auth.mode is tokenFile: config.admin.auth.tokenFile must name it, such as one in extraVolumeMounts" -}}
{{- end -}}
{{- if and $file (ne $mode "tokenFile") -}}
{{- fail "config.admin.auth.tokenFile needs config.admin.auth.mode: tokenFile" -}}
{{- end -}}
{{- if include "coxswain.adminServed" . -}}
{{- if not (dig "admin" "tls" "certificate" "" $config) -}}
{{- fail "config.admin.host serves the admin API to others, which needs a certificate: set admin.tlsSecret, admin.certificate.from or config.admin.tls" -}}
{{- end -}}
{{- if eq $mode "none" -}}
{{- fail "the admin API is served to others, so config.admin.auth.mode cannot be none" -}}
{{- end -}}
{{- end -}}
{{- if and (eq "kubernetes" (dig "metrics" "auth" "mode" "" $config | default "none")) (not (dig "metrics" "tls" "certificate" "" $config)) -}}
{{- fail "metrics.secured needs a certificate: set admin.tlsSecret, admin.certificate.from or config.metrics.tls" -}}
{{- end -}}
{{- $webhooks := $config.webhooks | default dict -}}
{{- if and $webhooks.service $webhooks.url -}}
{{- fail "config.webhooks.url and the Service of the chart both name where webhooks are called: with a url set config.webhooks.service to \"\"" -}}
{{- end -}}
{{- if and (dig "tls" "authority" "" $webhooks) (not (dig "tls" "certificate" "" $webhooks)) -}}
{{- fail "config.webhooks.tls.authority needs certificate and key" -}}
{{- end -}}
{{- end -}}

{{/* Limiters, and the controllers that use them. */}}
{{- define "coxswain.checkLimits" -}}
{{- $config := include "coxswain.config" . | fromYaml -}}
{{- $limiters := $config.limiters | default dict -}}
{{- range $name, $given := $limiters -}}
{{- $limiter := $given | default dict -}}
{{- range $max, $value := dict "maxRate" "rate" "maxBurst" "burst" -}}
{{- if get $limiter $max -}}
{{- $least := get $limiter $value | default (ternary 10 100 (eq $value "rate")) -}}
{{- if lt (float64 (get $limiter $max)) (float64 $least) -}}
{{- fail (printf "config.limiters.%s.%s is smaller than %s (%v)" $name $max $value $least) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name, $given := $config.controllers -}}
{{- $controller := $given | default dict -}}
{{- $budget := $controller.budget | default "default" -}}
{{- if and (ne $budget "default") (not (hasKey $limiters $budget)) -}}
{{- fail (printf "config.controllers.%s.budget is %s, which is not in config.limiters" $name $budget) -}}
{{- end -}}
{{- if and $.Values.sharedLimiter.enabled (eq "maxOf" ($controller.composition | default "")) -}}
{{- fail (printf "config.controllers.%s.composition is maxOf, which needs sharedLimiter.enabled: false" $name) -}}
{{- end -}}
{{- end -}}
{{- $shared := $config.sharedLimiter | default dict -}}
{{- if and $shared.clusterSecret $shared.clusterSecretFile -}}
{{- fail "config.sharedLimiter has clusterSecret and clusterSecretFile: set one of them" -}}
{{- end -}}
{{- $length := len (toString ($shared.clusterSecret | default "")) -}}
{{- if and $shared.clusterSecret (or (lt $length 16) (gt $length 1024)) -}}
{{- fail "config.sharedLimiter.clusterSecret must have 16 to 1024 characters; better name a file of extraVolumeMounts as clusterSecretFile" -}}
{{- end -}}
{{- if and $shared.enabled (not $shared.members) (not $shared.service) -}}
{{- fail "config.sharedLimiter.service is empty: leave it out, or set members" -}}
{{- end -}}
{{- if and $shared.members $shared.service -}}
{{- fail "config.sharedLimiter has members and service: set one of them" -}}
{{- end -}}
{{- end -}}

{{/* A duration in milliseconds. */}}
{{- define "coxswain.millis" -}}
{{- $sum := 0.0 -}}
{{- $units := dict "h" 3600000.0 "m" 60000.0 "s" 1000.0 "ms" 1.0 "us" 0.001 "ns" 0.000001 -}}
{{- range regexFindAll "\\d+(\\.\\d+)?(h|ms|m|s|us|ns)" (toString .) -1 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- $sum = addf $sum (mulf (float64 (trimSuffix $unit .)) (get $units $unit)) -}}
{{- end -}}
{{- $sum -}}
{{- end -}}

{{/* Durations that have to fit each other. */}}
{{- define "coxswain.checkTimes" -}}
{{- $config := include "coxswain.config" . | fromYaml -}}
{{- $lease := include "coxswain.millis" ($config.membership.leaseDuration | default "15s") | float64 -}}
{{- $renew := include "coxswain.millis" ($config.membership.renewPeriod | default "2s") | float64 -}}
{{- if or (lt $lease 3000.0) (ne (mulf 1000 (floor (divf $lease 1000))) $lease) -}}
{{- fail "config.membership.leaseDuration must be whole seconds, at least 3" -}}
{{- end -}}
{{- /* As Membership.maxRenewPeriod. */ -}}
{{- $grace := maxf (divf $lease 3) (minf (divf (mulf 5 $lease) 12) 2500) -}}
{{- $most := divf (subf $lease $grace) 4 -}}
{{- if or (lt $renew 1.0) (gt $renew $most) -}}
{{- fail (printf "config.membership.renewPeriod must be at most %vms with leaseDuration %vs" (floor $most) (divf $lease 1000)) -}}
{{- end -}}
{{- range $name, $given := $config.controllers -}}
{{- $backoff := dig "backoff" dict ($given | default dict) | default dict -}}
{{- if lt (include "coxswain.millis" ($backoff.max | default "1000s") | float64) (include "coxswain.millis" ($backoff.base | default "5ms") | float64) -}}
{{- fail (printf "config.controllers.%s.backoff.max is shorter than base" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Names and paths of the pod that the chart has itself. */}}
{{- define "coxswain.checkPod" -}}
{{- $own := list "COXSWAIN_REPLICA_NAME" "COXSWAIN_MEMBERSHIP__HOST" "COXSWAIN_MEMBERSHIP__NAMESPACE" "COXSWAIN_CHANGES__PAUSES__NAMESPACE" "COXSWAIN_CHANGES__HISTORY__NAMESPACE" -}}
{{- if .Values.jvmOptions -}}
{{- $own = append $own "_JAVA_OPTIONS" -}}
{{- end -}}
{{- $followed := "^COXSWAIN_(DRAIN_LIMIT|(ADMIN|METRICS|HEALTH|WEBHOOKS)__(HOST|PORT|AUTH__MODE|TLS__.*|SERVICE|URL|SECRET)|MEMBERSHIP__(NAME|MAX_REPLICAS)|SHARED_LIMITER__(ENABLED|PORT|SERVICE|MEMBERS)|PLUGINS__DIRECTORY|KUBERNETES__WATCH_NAMESPACES|CHANGES__(PAUSES|HISTORY)__NAME)$" -}}
{{- range .Values.env -}}
{{- if has .name $own -}}
{{- fail (printf "env has %s, which the chart or an entry before sets: leave it out" .name) -}}
{{- end -}}
{{- if regexMatch $followed .name -}}
{{- fail (printf "env has %s, which Services, probes and policies would not follow: set it by a value of the chart or in config" .name) -}}
{{- end -}}
{{- $own = append $own .name -}}
{{- end -}}
{{- if hasKey (.Values.podAnnotations | default dict) "coxswain.dev/config-checksum" -}}
{{- fail "podAnnotations has coxswain.dev/config-checksum, which is an annotation of the chart: leave it out" -}}
{{- end -}}
{{- $volumes := list "config" "tmp" "tls" "controllers" "plugins" -}}
{{- range .Values.extraVolumes -}}
{{- if has .name $volumes -}}
{{- fail (printf "extraVolumes has %s, which is a volume of the chart or of an entry before: use another name" .name) -}}
{{- end -}}
{{- $volumes = append $volumes .name -}}
{{- end -}}
{{- $paths := list "/" "/app" "/app/lib" "/app/jre" "/app/controllers" "/etc/coxswain" "/tmp" "/tls" (dig "plugins" "directory" "" (include "coxswain.config" . | fromYaml) | default "/plugins") -}}
{{- range .Values.extraVolumeMounts -}}
{{- if not (has .name $volumes) -}}
{{- fail (printf "extraVolumeMounts has %s, which is not in extraVolumes" .name) -}}
{{- end -}}
{{- $path := ternary "/" (trimSuffix "/" .mountPath) (eq .mountPath "/") -}}
{{- if has $path $paths -}}
{{- fail (printf "extraVolumeMounts has the path %s, which the image, the chart or an entry before uses: use another one" .mountPath) -}}
{{- end -}}
{{- $paths = append $paths $path -}}
{{- end -}}
{{- if and (eq .Values.dnsPolicy "None") (empty (dig "nameservers" list (.Values.dnsConfig | default dict))) -}}
{{- fail "dnsPolicy is None: dnsConfig.nameservers must have at least one" -}}
{{- end -}}
{{- end -}}

{{/*
Fails when a definition would serve one more version before any replica converts it: what is written in one version
would be stored as if it were the other, without the fields that only one of them has. "helm template" reads no cluster, and passes.
*/}}
{{- define "coxswain.requireConversion" -}}
{{- $name := .definition.metadata.name -}}
{{- if has $name .root.Values.webhooks.definitions -}}
{{- $live := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" $name -}}
{{- if and $live (ne (dig "spec" "conversion" "strategy" "None" $live) "Webhook") -}}
{{- $served := list -}}
{{- range $live.spec.versions -}}
{{- if .served -}}
{{- $served = append $served .name -}}
{{- end -}}
{{- end -}}
{{- range .definition.spec.versions -}}
{{- if and .served (not (has .name $served)) -}}
{{- fail (printf "the version %s of the definition %s would be served before a replica converts it, and fields would be lost: roll out a release first in whose class it has served = false" .name $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
