{{/* SPDX-License-Identifier: Apache-2.0 */}}

{{/* The name of all objects, or the begin of it: the release, unless it is overridden. */}}
{{- define "coxswain.name" -}}
{{- .Values.fullnameOverride | default .Release.Name | replace "." "-" | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "coxswain.selector" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default "coxswain" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "coxswain.ownLabels" -}}
{{ include "coxswain.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The labels of an object. */}}
{{- define "coxswain.labels" -}}
{{- include "coxswain.labelsWith" (list . dict "") -}}
{{- end -}}

{{/* The same with those of a value: a list of the context, the labels, and the name of the value. */}}
{{- define "coxswain.labelsWith" -}}
{{- $context := index . 0 -}}
{{- $own := include "coxswain.ownLabels" $context | fromYaml -}}
{{- $all := dict -}}
{{- $common := $context.Values.commonLabels | default dict -}}
{{- $more := index . 1 | default dict -}}
{{- range $value, $labels := dict "commonLabels" $common (index . 2) $more -}}
{{- range $label, $_ := $labels -}}
{{- if or (hasKey $own $label) (hasPrefix "coxswain.dev/" $label) -}}
{{- fail (printf "%s has %s, which is a label of the chart: use another one" $value $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- mergeOverwrite $all (deepCopy $common) (deepCopy $more) $own | toYaml -}}
{{- end -}}

{{- define "coxswain.serviceAccount" -}}
{{- $account := .Values.serviceAccount -}}
{{- if not (or $account.create $account.name) -}}
{{- fail "serviceAccount.create is false: serviceAccount.name must have the name of one that exists" -}}
{{- end -}}
{{- $account.name | default (include "coxswain.name" .) -}}
{{- end -}}

{{- define "coxswain.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{- printf "%s%s@%s" $image.repository (ternary (printf ":%s" $image.tag) "" (ne $image.tag "")) $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository ($image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* The Secret with the certificate of the admin API, or nothing. */}}
{{- define "coxswain.adminSecret" -}}
{{- if and .Values.admin.tlsSecret .Values.admin.certificate.from -}}
{{- fail "admin.tlsSecret names a Secret, and admin.certificate.from makes one: set one of them" -}}
{{- end -}}
{{- if .Values.admin.certificate.from -}}
{{- printf "%s-admin-tls" (include "coxswain.name" .) -}}
{{- else -}}
{{- .Values.admin.tlsSecret -}}
{{- end -}}
{{- end -}}

{{/* Not empty when the admin API listens on more than loopback. */}}
{{- define "coxswain.adminServed" -}}
{{- $host := dig "admin" "host" "" (include "coxswain.config" . | fromYaml) | default "127.0.0.1" -}}
{{- if not (regexMatch "^(127(\\.\\d{1,3}){3}|localhost|::1)$" $host) -}}true{{- end -}}
{{- end -}}

{{/* The names for which it is valid; a port-forward ends at 127.0.0.1. */}}
{{- define "coxswain.adminNames" -}}
{{- $service := printf "%s-admin" (include "coxswain.name" .) -}}
{{- $names := list $service (printf "%s.%s" $service .Release.Namespace) (printf "%s.%s.svc" $service .Release.Namespace) "localhost" -}}
{{- concat $names .Values.admin.certificate.dnsNames | toJson -}}
{{- end -}}

{{/* Not empty when the API server authenticates and authorizes callers for the pods. */}}
{{- define "coxswain.reviews" -}}
{{- $config := include "coxswain.config" . | fromYaml -}}
{{- $admin := dig "admin" "auth" "mode" "" $config | default "kubernetes" -}}
{{- if has "kubernetes" (list $admin (dig "metrics" "auth" "mode" "" $config)) -}}true{{- end -}}
{{- end -}}

{{/* The ports of the pods by the section of the configuration, as JSON. */}}
{{- define "coxswain.ports" -}}
{{- $config := include "coxswain.config" . | fromYaml -}}
{{- $ports := dict "metrics" 8080 "health" 8081 "admin" 8090 "webhooks" 9443 "sharedLimiter" 5701 -}}
{{- range $section, $port := deepCopy $ports -}}
{{- $given := dig $section "port" "" $config | toString -}}
{{- if and (ne $given "") (ne $given "<nil>") -}}
{{- $_ := set $ports $section (int $given) -}}
{{- end -}}
{{- end -}}
{{- toJson $ports -}}
{{- end -}}

{{/* The volume of the plug-ins, or nothing. */}}
{{- define "coxswain.plugins" -}}
{{- if and .Values.plugins.claim .Values.plugins.volume -}}
{{- fail "plugins.claim and plugins.volume both name the volume of the plug-ins: set one of them" -}}
{{- end -}}
{{- if .Values.plugins.claim -}}
{{- dict "persistentVolumeClaim" (dict "claimName" .Values.plugins.claim) | toYaml -}}
{{- else if .Values.plugins.volume -}}
{{- .Values.plugins.volume | toYaml -}}
{{- end -}}
{{- end -}}

{{/* The configuration of the chart; .Values.config wins. It names no namespace, as one comes from the pod. */}}
{{- define "coxswain.config" -}}
{{- $own := dict
  "apiVersion" "config.coxswain.dev/v1alpha1"
  "kind" "CoxswainConfiguration"
  "drainLimit" (printf "%ds" (int .Values.drainSeconds))
  "logging" (dict "format" "json")
  "metrics" (dict "host" "0.0.0.0")
  "health" (dict "host" "0.0.0.0")
  "membership" (dict
    "name" (include "coxswain.name" .)
    "maxReplicas" (int .Values.maxReplicas))
  "changes" (dict
    "pauses" (dict "name" (printf "%s-pauses" (include "coxswain.name" .)))
    "history" (dict "name" (printf "%s-history" (include "coxswain.name" .)))
    "events" (dict "deployment" (include "coxswain.name" .)))
-}}
{{- if .Values.sharedLimiter.enabled -}}
{{- $shared := dict "enabled" true -}}
{{- if not (dig "sharedLimiter" "members" "" (.Values.config | default dict)) -}}
{{- $_ := set $shared "service" (printf "%s-members" (include "coxswain.name" .)) -}}
{{- end -}}
{{- $_ := set $own "sharedLimiter" $shared -}}
{{- end -}}
{{- with .Values.watchNamespaces -}}
{{- $_ := set $own "kubernetes" (dict "watchNamespaces" .) -}}
{{- end -}}
{{- with .Values.watchNamespaceSelector -}}
{{- $_ := set $own "kubernetes" (dict "watchNamespaceSelector" .) -}}
{{- end -}}
{{- if include "coxswain.plugins" . -}}
{{- $_ := set $own "plugins" (dict "directory" "/plugins") -}}
{{- end -}}
{{- $tls := dict "certificate" "/tls/tls.crt" "key" "/tls/tls.key" -}}
{{- if include "coxswain.adminSecret" . -}}
{{- $_ := set $own "admin" (dict "host" "0.0.0.0" "tls" $tls) -}}
{{- end -}}
{{- if .Values.metrics.secured -}}
{{- $metrics := dict "host" "0.0.0.0" "auth" (dict "mode" "kubernetes") -}}
{{- if include "coxswain.adminSecret" . -}}
{{- $_ := set $metrics "tls" $tls -}}
{{- end -}}
{{- $_ := set $own "metrics" $metrics -}}
{{- end -}}
{{- if .Values.webhooks.enabled -}}
{{- $_ := set $own "webhooks" (dict
  "host" "0.0.0.0"
  "service" (printf "%s/%s-webhooks" .Release.Namespace (include "coxswain.name" .))
  "secret" (printf "%s-webhooks" (include "coxswain.name" .))) -}}
{{- end -}}
{{- mergeOverwrite $own (deepCopy (.Values.config | default dict)) | toYaml -}}
{{- end -}}

{{/* The part of the configuration that is used at the start only: without what a running host reloads. */}}
{{- define "coxswain.startConfig" -}}
{{- $config := include "coxswain.config" . | fromYaml -}}
{{- range list "level" "levels" -}}
{{- $_ := unset $config.logging . -}}
{{- end -}}
{{- $controllers := dict -}}
{{- range $name, $settings := $config.controllers -}}
{{- $rest := omit ($settings | default dict) "concurrency" "watchNamespaces" -}}
{{- if $rest -}}
{{- $_ := set $controllers $name $rest -}}
{{- end -}}
{{- end -}}
{{- $_ := set $config "controllers" $controllers -}}
{{- $kubernetes := omit ($config.kubernetes | default dict) "watchNamespaces" "watchNamespaceSelector" -}}
{{- $config = omit $config "kubernetes" -}}
{{- if $kubernetes -}}
{{- $_ := set $config "kubernetes" $kubernetes -}}
{{- end -}}
{{- $_ := set $config "limiters" (without (keys ($config.limiters | default dict)) "default" | sortAlpha) -}}
{{- toYaml $config -}}
{{- end -}}

{{/* The labels of the pods of helm test, which are not replicas. */}}
{{- define "coxswain.testLabels" -}}
coxswain.dev/test: {{ include "coxswain.name" . }}
{{- end -}}

{{- define "coxswain.testHook" -}}
helm.sh/hook: test
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}
