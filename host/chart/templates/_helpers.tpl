{{/* SPDX-License-Identifier: Apache-2.0 */}}

{{/* The name of all objects, or the begin of it: the release. */}}
{{- define "coxswain.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "coxswain.selector" -}}
app.kubernetes.io/name: coxswain
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "coxswain.labels" -}}
{{ include "coxswain.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
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

{{/* The names for which it is valid; a port-forward ends at 127.0.0.1. */}}
{{- define "coxswain.adminNames" -}}
{{- $service := printf "%s-admin" (include "coxswain.name" .) -}}
{{- $names := list $service (printf "%s.%s" $service .Release.Namespace) (printf "%s.%s.svc" $service .Release.Namespace) "localhost" -}}
{{- concat $names .Values.admin.certificate.dnsNames | toJson -}}
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
  "changes" (dict "pauses" (dict
    "name" (printf "%s-pauses" (include "coxswain.name" .))))
-}}
{{- if .Values.sharedLimiter.enabled -}}
{{- $_ := set $own "sharedLimiter" (dict
  "enabled" true
  "service" (printf "%s-members" (include "coxswain.name" .))) -}}
{{- end -}}
{{- if include "coxswain.plugins" . -}}
{{- $_ := set $own "plugins" (dict "directory" "/plugins") -}}
{{- end -}}
{{- if include "coxswain.adminSecret" . -}}
{{- $_ := set $own "admin" (dict
  "host" "0.0.0.0"
  "tls" (dict "certificate" "/tls/tls.crt" "key" "/tls/tls.key")) -}}
{{- end -}}
{{- if .Values.metrics.secured -}}
{{- if not (include "coxswain.adminSecret" .) -}}
{{- fail "metrics.secured needs a certificate: set admin.tlsSecret or admin.certificate.from" -}}
{{- end -}}
{{- $_ := set $own "metrics" (dict
  "host" "0.0.0.0"
  "auth" (dict "mode" "kubernetes")
  "tls" (dict "certificate" "/tls/tls.crt" "key" "/tls/tls.key")) -}}
{{- end -}}
{{- if .Values.webhooks.enabled -}}
{{- if and (empty .Values.webhooks.controllers) (empty .Values.webhooks.definitions) (not .Values.webhooks.callbacks) -}}
{{- fail "webhooks.enabled needs webhooks.controllers or webhooks.definitions: without rights for them the pods do not become ready; for callbacks alone set webhooks.callbacks" -}}
{{- end -}}
{{- $_ := set $own "webhooks" (dict
  "host" "0.0.0.0"
  "service" (printf "%s/%s-webhooks" .Release.Namespace (include "coxswain.name" .))
  "secret" (printf "%s-webhooks" (include "coxswain.name" .))) -}}
{{- end -}}
{{- mergeOverwrite $own (deepCopy .Values.config) | toYaml -}}
{{- end -}}

{{/* The part of the configuration that is used at the start only: without what a running host reloads. */}}
{{- define "coxswain.startConfig" -}}
{{- $config := include "coxswain.config" . | fromYaml -}}
{{- range list "level" "levels" -}}
{{- $_ := unset $config.logging . -}}
{{- end -}}
{{- $controllers := dict -}}
{{- range $name, $settings := $config.controllers -}}
{{- $rest := omit ($settings | default dict) "concurrency" -}}
{{- if $rest -}}
{{- $_ := set $controllers $name $rest -}}
{{- end -}}
{{- end -}}
{{- $_ := set $config "controllers" $controllers -}}
{{- $_ := set $config "limiters" (without (keys ($config.limiters | default dict)) "default" | sortAlpha) -}}
{{- toYaml $config -}}
{{- end -}}
